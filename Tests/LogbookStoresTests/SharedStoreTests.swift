import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Several logbooks with one database: each gateway has exactly one owner at any time.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct SharedStoreTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"

    private func address() async throws -> PostgreSQLAddress {
        var address = try PostgreSQLAddress(
            try await PrivatePostgreSQL.shared.value.makeDatabase())
        address.isShared = true
        return address
    }

    /// The shares after all have agreed. It takes two rounds, since surplus shards are released first.
    private func rebalance(_ stores: [PostgreSQLStore]) throws -> [StoreShare] {
        for store in stores { _ = try store.rebalanceShards() }
        return try stores.map { try #require(try $0.rebalanceShards()) }
    }

    /// Checks that each shard has one owner; returns the number of shards of each logbook.
    private func expectOneOwner(_ shares: [StoreShare]) -> [Int] {
        let held = shares.flatMap(\.shards.numbers)
        #expect(held.sorted() == Array(0..<GatewayShards.count))
        return shares.map(\.shards.numbers.count).sorted()
    }

    @Test func distributesGatewaysEvenlyOverShards() {
        // The shards of the last names were computed by hand with the published hash function.
        var counts = [Int](repeating: 0, count: GatewayShards.count)
        for number in 0..<1000 {
            counts[GatewayShards.shard(of: GatewayID("boathouse-\(number)")!)] += 1
        }
        #expect(counts.allSatisfy { (40...90).contains($0) }, "\(counts)")
        #expect(GatewayShards.shard(of: GatewayID("a")!) == 0xe40c_292c % GatewayShards.count)
        #expect(GatewayShards.shard(of: GatewayID("foobar")!) == 0xbf9c_f968 % GatewayShards.count)
        #expect(GatewayShards.all.contains(GatewayID("a")!))
        #expect(!GatewayShards.none.contains(GatewayID("a")!))
    }

    @Test func givesEachShardOneOwner() async throws {
        let address = try await address()
        var stores = [try PostgreSQLStore(address, for: .recording)]
        #expect(try stores[0].rebalanceShards()?.shards == .all)
        for _ in 0..<4 { stores.append(try PostgreSQLStore(address, for: .recording)) }
        #expect(expectOneOwner(try rebalance(stores)) == [3, 3, 3, 3, 4])
        #expect(try rebalance(stores).allSatisfy { $0.logbooks == 5 && $0.acquired == .none })
        for count in [4, 3, 2, 1] {
            stores.removeFirst().close()
            // The server releases locks shortly after the connection is closed.
            let isAgreed = await eventually {
                (try? rebalance(stores))?.flatMap(\.shards.numbers).count == GatewayShards.count
                    && (try? stores[0].rebalanceShards())?.logbooks == count
            }
            #expect(isAgreed)
            _ = try rebalance(stores)
            let held = expectOneOwner(try rebalance(stores))
            #expect(held.last! - held.first! <= 1, "\(held)")
        }
        stores[0].close()
    }

    @Test func showsSharersToAReader() async throws {
        let address = try await address()
        let stores = try (0..<2).map { _ in try PostgreSQLStore(address, for: .recording) }
        let reader = try PostgreSQLStore(address, for: .readOnly)
        #expect(try reader.sharers().map(\.shards) == [.none, .none])
        _ = try rebalance(stores)
        let held = try rebalance(stores).map(\.shards)
        let seen = try reader.sharers()
        #expect(Set(seen.map(\.shards.numbers)) == Set(held.map(\.numbers)))
        #expect(Set(seen.map(\.process)).count == 2)
        #expect(try rebalance(stores).map(\.shards) == held)
        for store in stores + [reader] { store.close() }

        var alone = address
        alone.isShared = false
        let isAlone = await eventually {
            guard let store = try? PostgreSQLStore(alone, for: .recording) else { return false }
            defer { store.close() }
            return (try? store.sharers()) == []
        }
        #expect(isAlone)
    }

    @Test func ignoresRecordsOfLostShards() async throws {
        // Terminates a logbook's connection; another logbook acquires all shards before the first one
        // commits again.
        let address = try await address()
        var traffic = Traffic()
        let batch = try StoreBatch(traffic.session(Self.session, strokes: 3))
        let (first, second) = (
            try PostgreSQLStore(address, for: .recording),
            try PostgreSQLStore(address, for: .recording)
        )
        _ = try first.rebalanceShards()
        #expect(try first.rebalanceShards()?.shards.numbers.count == 8)
        #expect(try second.rebalanceShards()?.shards.numbers.count == 8)
        let (owner, other) =
            try first.rebalanceShards()?.shards.contains(traffic.gateway) == true
            ? (first, second) : (second, first)
        #expect(try other.commit(batch) == CommitReport())
        #expect(try owner.commit(batch).added == batch.records.count)
        let row = try other.database.number(
            "SELECT pg_terminate_backend(pid)::int FROM pg_stat_activity "
                + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        #expect(row == 1)
        let hasAllShards = await eventually { (try? other.rebalanceShards())?.shards == .all }
        #expect(hasAllShards)
        let more = try StoreBatch([traffic.event()])
        var report: CommitReport?
        while report == nil {
            do throws(StoreFailure) { report = try owner.commit(more) } catch {
                #expect(error.isTransient)
            }
        }
        #expect(report == CommitReport())
        #expect(try other.streams().filter { $0.stream.gateway == traffic.gateway }.count > 0)
        #expect(try other.commit(more).added == 1)
        #expect(try other.commit(batch).repeats == batch.records.count)
        #expect(try other.conflicts(limit: 1) == [])
    }

    @Test func refusesSharedAndExclusiveUseTogether() async throws {
        let shared = try await address()
        var alone = shared
        alone.isShared = false
        for (inside, outside, remedy) in [
            (shared, alone, "or set [store] shared = true for both"),
            (alone, shared, "set shared = true for it too"),
        ] {
            let store = try PostgreSQLStore(inside, for: .recording)
            do throws(StoreFailure) {
                try PostgreSQLStore(outside, for: .recording).close()
                Issue.record("it got in")
            } catch {
                #expect(error.kind == .busy && error.remedy?.contains(remedy) == true, "\(error)")
            }
            store.close()
        }
    }

    @Test func numbersNoticesOfTwoLogbooksOnce() async throws {
        // Both logbooks add notices concurrently on separate threads; half of the subjects are the same.
        let address = try await address()
        let stores = [
            try PostgreSQLStore(address, for: .recording),
            try PostgreSQLStore(address, for: .recording),
        ]
        var begin = StoreBatch(now: 1)
        begin.notices.epoch = "01J0EP0CH000000000000000NN"
        _ = try stores[0].commit(begin)
        let texts = await withTaskGroup(of: [String].self) { group in
            for (index, store) in stores.enumerated() {
                nonisolated(unsafe) let store = store
                group.addTask { Self.addNotices(store, from: index * 20) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(texts == [])
        let found = try stores[0].notices(after: 0, limit: 1000)
        #expect(found.map(\.sequence) == Array(1...60))
        #expect(Set(found.compactMap(\.subject)).count == 60)
    }

    /// Adds forty notices, half of which the other logbook adds too; returns the failures.
    private static func addNotices(_ store: PostgreSQLStore, from first: Int) -> [String] {
        (first..<first + 40).compactMap { number in
            var batch = StoreBatch(now: 2)
            batch.notices.added = [Notice(.best, subject: "piece-\(number)", members: [123, 125])]
            while true {
                do throws(StoreFailure) {
                    _ = try store.commit(batch)
                    return nil
                } catch {
                    if !error.isTransient { return "\(error)" }
                }
            }
        }
    }
}
