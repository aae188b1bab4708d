import Foundation
import Glibc

/// A private PostgreSQL for a test, on a socket in a folder only. Without `fsync`: tests kill it, but do
/// not simulate power cuts.
package final class PrivatePostgreSQL: @unchecked Sendable {  // `server` is guarded by `lock`
    /// The newest that Debian installed.
    private static let programs =
        (try? FileManager.default.contentsOfDirectory(
            atPath: "/usr/lib/postgresql"))?.sorted().last.map { "/usr/lib/postgresql/\($0)/bin/" }

    /// Whether this machine has one.
    package static let isThere = programs != nil

    /// One server for all tests of the process, which create databases in it. It ends with the process.
    package static let shared = Task { () async throws -> PrivatePostgreSQL in
        let server = try await PrivatePostgreSQL()
        last = server
        atexit { PrivatePostgreSQL.last?.remove() }
        return server
    }
    private nonisolated(unsafe) static var last: PrivatePostgreSQL?  // set before `atexit`, read by it

    private let folder: TemporaryFolder
    private let lock = NSLock()
    private var server: ChildProcess?
    private var count = 0

    /// It refuses to run as root.
    private static let prefix =
        getuid() == 0 ? ["setpriv", "--reuid=nobody", "--clear-groups"] : ["env"]

    /// For libpq.
    package var connection: String { connection(to: "postgres") }

    private func connection(to name: String) -> String {
        "host=\(folder.path) user=postgres dbname=\(name)"
    }

    /// Returns a running server.
    package init() async throws {
        folder = try TemporaryFolder()
        guard let programs = Self.programs else { throw TestSupportError("no PostgreSQL") }
        if getuid() == 0 {
            let owner = try ChildProcess("chown", ["nobody", folder.path])
            await owner.waitForExit()
        }
        let maker = try ChildProcess(
            Self.prefix[0],
            Self.prefix.dropFirst() + [
                programs + "initdb", "-D", folder.path("data"), "-U", "postgres", "-A", "trust",
                "--no-sync",
            ])
        guard await maker.waitForExit() == 0 else {
            throw TestSupportError("initdb failed: \(maker.text)")
        }
        try await start()
    }

    /// Starts it, after `kill` too, and returns once it takes connections.
    package func start() async throws {
        let server = try ChildProcess(
            Self.prefix[0],
            Self.prefix.dropFirst() + [
                (Self.programs ?? "") + "postgres", "-D", folder.path("data"), "-k", folder.path,
                "-F", "-c", "listen_addresses=", "-c", "max_connections=200",
            ])
        lock.withLock { self.server = server }
        // After a crash it refuses to start while processes of the previous server exist.
        guard
            await eventually({
                server.text.contains("ready to accept connections") || !server.isRunning
            }), server.isRunning
        else { throw TestSupportError("postgres did not start: \(server.text)") }
    }

    /// Kills it as a machine does that is short of memory; those who serve connections end by themselves.
    package func kill() async {
        let server = lock.withLock { self.server }
        server?.signal(SIGKILL)
        await server?.waitForExit()
    }

    /// To the server and to those of its processes that serve connections.
    package func signalAll(_ number: Int32) async {
        guard let server = lock.withLock({ server }) else { return }
        let children = try? ChildProcess("pgrep", ["-P", "\(server.identifier)"])
        await children?.waitForExit()
        server.signal(number)
        for child in children?.lines ?? [] { Int32(child).map { _ = Glibc.kill($0, number) } }
    }

    private func remove() {
        lock.withLock { server }?.signal(SIGKILL)
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    /// A database that nothing is in yet, for libpq.
    package func makeDatabase() async throws -> String {
        let name = lock.withLock {
            count += 1
            return "test\(count)"
        }
        let answer = await ask("create database \(name)")
        guard answer == "CREATE DATABASE" else { throw TestSupportError(answer) }
        return connection(to: name)
    }

    /// The answer of one statement, columns parted by `|`; or the error.
    package func ask(_ statement: String, of database: String? = nil) async -> String {
        let arguments = ["-At", database ?? connection, "-c", statement]
        guard let asker = try? ChildProcess("psql", arguments) else { return "" }
        await asker.waitForExit()
        return asker.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
