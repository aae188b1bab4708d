import Foundation

/// A child process of a test, killed when the test releases it.
package final class ChildProcess: @unchecked Sendable {  // guarded by `lock`
    private let process: SpawnedProcess
    private let lock = NSLock()
    private var collected = Data()
    private var isOutputClosed = false

    /// Starts `program` (a path, or a name looked up in PATH); output and errors are collected.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        input: FileHandle? = nil
    ) throws {
        let output = Pipe()
        process = try SpawnedProcess(
            ["/usr/bin/env", program] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: input?.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        // A thread that blocks, because a readability handler is lost when another file handle's is
        // cancelled late, after its descriptor's number was given to this one.
        Thread.detachNewThread { [weak self, source = output.fileHandleForReading] in
            while case let data = source.availableData, !data.isEmpty {
                self?.lock.withLock { self?.collected.append(data) }
            }
            self?.lock.withLock { self?.isOutputClosed = true }
        }
    }

    package var identifier: Int32 { process.identifier }
    package var isRunning: Bool { process.status() == nil }

    /// Everything printed so far.
    package var text: String { lock.withLock { String(decoding: collected, as: UTF8.self) } }

    /// The complete lines printed so far.
    package var lines: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Asks the program to end by SIGTERM and waits; how long a daemon may take for it is held by
    /// `TerminationTests`.
    package func terminate() async -> Int32? {
        signal(SIGTERM)
        return await waitForExit()
    }

    /// Waits for the end; nil when it still runs after `timeout`.
    @discardableResult
    package func waitForExit(within timeout: Duration = .seconds(300)) async -> Int32? {
        guard await eventually(within: timeout, { !self.isRunning }) else { return nil }
        // Its last output may still be in the pipe, which one of its children may hold open.
        _ = await eventually(within: .seconds(10)) { self.lock.withLock { self.isOutputClosed } }
        return process.status()
    }
}

/// Looks again and again until `condition` holds; false when it did not within `timeout` and a hundred looks.
///
/// For what another process does. What this process does is stepped, not waited for. The limit is
/// there to end a test that has failed: a machine with twenty other things to do needs most of it. Beside
/// tests that occupy Swift's threads, minutes may pass between two looks.
package func eventually(
    within timeout: Duration = .seconds(300), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + timeout
    var looks = 0
    while looks < 100 || ContinuousClock.now < deadline {
        looks += 1
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}
