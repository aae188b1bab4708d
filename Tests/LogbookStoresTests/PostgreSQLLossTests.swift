import Glibc
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// A server that disappears and returns: no record is lost or duplicated.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PostgreSQLLossTests {
    private var traffic = Traffic()

    /// Repeats the commit until it succeeds, as the ingester does; returns the number of failures.
    private func commit(_ batch: StoreBatch, _ store: SQLStore) async throws -> Int {
        var failures = 0
        while true {
            do throws(StoreFailure) {
                _ = try store.commit(batch)
                return failures
            } catch {
                guard error.isTransient, failures < 60_000 else { throw error }
                failures += 1
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test mutating func losesNothingWhenConnectionsAreTerminated() async throws {
        // Another connection terminates ours at random moments, also during commits.
        let server = try await PrivatePostgreSQL.shared.value
        let database = try await server.makeDatabase()
        let store = try PostgreSQLStore(try PostgreSQLAddress(database), for: .recording)
        let cutter = try ChildProcess(
            "psql",
            [
                database, "-c",
                """
                DO $$ BEGIN FOR i IN 1..100 LOOP
                    PERFORM pg_stat_clear_snapshot(), pg_sleep(random() * 0.04);
                    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE pid <> pg_backend_pid() AND datname = current_database()
                        AND backend_type = 'client backend';
                END LOOP; END $$
                """,
            ])
        var (records, failures, number) = (0, 0, 0)
        while cutter.isRunning || number < 10 {
            let batch = try StoreBatch(traffic.session(name(number), strokes: 10))
            records += batch.records.count
            failures += try await commit(batch, store)
            number += 1
        }
        #expect(failures > 0, "\(cutter.text)")
        try await expectOnce(records, store)
    }

    private func name(_ number: Int) -> String {
        let digits = String(number)
        return "01J7ZK3Q5XQ4W8G9T2V6B0"
            + String(repeating: "0", count: 4 - digits.count) + digits
    }

    @Test mutating func losesNothingWhenTheServerIsKilled() async throws {
        // Kills the postmaster and its children with SIGKILL three times under load.
        let server = try await PrivatePostgreSQL()
        let database = try await server.makeDatabase()
        let store = try PostgreSQLStore(try PostgreSQLAddress(database), for: .recording)
        let killer = Task {
            for _ in 0..<3 {
                try await Task.sleep(for: .milliseconds(300))
                await server.kill()
                try await server.start()
            }
        }
        var (records, failures, number) = (0, 0, 0)
        while number < 100 || failures == 0 {
            let batch = try StoreBatch(
                traffic.session(name(number), strokes: 40))
            records += batch.records.count
            failures += try await commit(batch, store)
            number += 1
        }
        try await killer.value
        try await expectOnce(records, store)
    }

    private func expectOnce(_ records: Int, _ store: SQLStore) async throws {
        let last = StoreBatch(records: [], now: 1)
        _ = try await commit(last, store)
        var size: StoreSize?
        _ = await eventually {
            size = try? store.size()
            return size != nil
        }
        #expect(size?.records == records)
        let streams = try store.streams()
        #expect(streams.allSatisfy { $0.repeats == 0 && $0.conflicts == 0 && $0.extent.isComplete })
        #expect(streams.reduce(0) { $0 + $1.extent.received.count } == UInt64(records))
        #expect(try store.faults() == [])
        for session in try store.sessions(SessionFilter(limit: 100_000)) {
            let evidence = try #require(try store.evidence(of: session.name))
            let proof = evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts)
            #expect(proof == .proven)
        }
    }

    @Test mutating func resolvesACommitInDoubt() async throws {
        // A server that waits for an absent standby commits durably without answering; the connection is
        // terminated at this moment.
        let server = try await PrivatePostgreSQL()
        let database = try await server.makeDatabase()
        let store = try PostgreSQLStore(try PostgreSQLAddress(database), for: .recording)
        #expect(await server.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'") != "")
        #expect(await server.ask("SELECT pg_reload_conf()") == "t")
        // The server's own processes, such as autovacuum, wait too.
        let waiting =
            "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'"
        let cutter = try ChildProcess(
            "sh",
            [
                "-c",
                """
                until [ "$(psql -At "$0" -c "SELECT count(*) \(waiting)")" = 1 ]; do sleep 0.1; done
                psql "$0" -c "SELECT pg_terminate_backend(pid) \(waiting)" \
                    -c "ALTER SYSTEM RESET synchronous_standby_names" -c "SELECT pg_reload_conf()"
                """, server.connection,
            ])
        // The server applies its settings asynchronously.
        var (batch, records, failure) = (StoreBatch(now: 0), 0, StoreFailure?.none)
        for number in 0..<9999 where failure == nil {
            batch = try StoreBatch(traffic.session(name(number), strokes: 5))
            records += batch.records.count
            do throws(StoreFailure) { _ = try store.commit(batch) } catch { failure = error }
        }
        #expect(
            failure?.kind == .inDoubt && failure?.isTransient == true,
            "\(records) records, \(failure.map(String.init(describing:)) ?? "no failure"), \(cutter.text)")
        await cutter.waitForExit()
        var report: CommitReport?
        _ = await eventually {
            report = try? store.commit(batch)
            return report != nil
        }
        #expect(report?.added == batch.records.count && report?.repeats == 0)
        #expect(report?.sessions.count == 1)
        try await expectOnce(records, store)
        #expect(try store.commit(batch).repeats == batch.records.count)
    }

    @Test func timesOutOnAHangingServer() async throws {
        // The server is stopped with SIGSTOP, with an open connection and with a new one.
        let server = try await PrivatePostgreSQL()
        let address = try PostgreSQLAddress(try await server.makeDatabase())
        let store = try PostgreSQLStore(address, for: .recording, patience: .seconds(2))
        for signal in [SIGSTOP, SIGCONT] {
            await server.signalAll(signal)
            guard signal == SIGSTOP else { break }
            for _ in 0..<2 {
                let failure = #expect(throws: StoreFailure.self) { try store.size() }
                #expect(failure?.kind == .unreachable)
                #expect(failure?.cause == "the server has not answered for 2 s")
            }
        }
        #expect(await eventually { (try? store.size().records) == 0 })
    }
}
