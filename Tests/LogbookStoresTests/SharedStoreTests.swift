import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Several logbooks at one database: each gateway is one logbook's, whoever comes and goes.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct SharedStoreTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"

    private func address() async throws -> PostgreSQLAddress {
        var address = try PostgreSQLAddress(
            try await PrivatePostgreSQL.shared.value.makeDatabase())
        address.isShared = true
        return address
    }

    /// What each has after all have agreed: in two rounds, since who has too much lets go first.
    private func deal(_ stores: [PostgreSQLStore]) throws -> [StoreShare] {
        for store in stores { _ = try store.deal() }
        return try stores.map { try #require(try $0.deal()) }
    }

    /// Parts are held by one alone; returns how many each holds.
    private func expectOneOwner(_ shares: [StoreShare]) -> [Int] {
        let held = shares.flatMap(\.parts.numbers)
        #expect(held.sorted() == Array(0..<GatewayParts.count))
        return shares.map(\.parts.numbers.count).sorted()
    }

    @Test func gatewaysAreDealtOutEvenly() {
        // Goal: a fleet's gateways lie in all parts, and a gateway stays where it is whatever version asks.
        // Method: a thousand names; and three whose part was computed by hand of the published function.
        var counts = [Int](repeating: 0, count: GatewayParts.count)
        for number in 0..<1000 {
            counts[GatewayParts.part(of: GatewayID("boathouse-\(number)")!)] += 1
        }
        #expect(counts.allSatisfy { (40...90).contains($0) }, "\(counts)")
        #expect(GatewayParts.part(of: GatewayID("a")!) == 0xe40c_292c % GatewayParts.count)
        #expect(GatewayParts.part(of: GatewayID("foobar")!) == 0xbf9c_f968 % GatewayParts.count)
        #expect(GatewayParts.all.contains(GatewayID("a")!))
        #expect(!GatewayParts.none.contains(GatewayID("a")!))
    }

    @Test func eachPartHasOneOwner() async throws {
        // Goal: whoever comes gets as much as the others, and what somebody leaves is taken. Method: one
        // logbook, five of them, and one after the other gone.
        let address = try await address()
        var stores = [try PostgreSQLStore(address, for: .keeping)]
        #expect(try stores[0].deal()?.parts == .all)
        for _ in 0..<4 { stores.append(try PostgreSQLStore(address, for: .keeping)) }
        #expect(expectOneOwner(try deal(stores)) == [3, 3, 3, 3, 4])
        #expect(try deal(stores).allSatisfy { $0.logbooks == 5 && $0.taken == .none })
        for count in [4, 3, 2, 1] {
            stores.removeFirst().close()
            // The server lets go a moment after we have hung up.
            let isAgreed = await eventually {
                (try? deal(stores))?.flatMap(\.parts.numbers).count == GatewayParts.count
                    && (try? stores[0].deal())?.logbooks == count
            }
            #expect(isAgreed)
            _ = try deal(stores)
            let held = expectOneOwner(try deal(stores))
            #expect(held.last! - held.first! <= 1, "\(held)")
        }
        stores[0].close()
    }

    @Test func whoOnlyLooksSeesWhoSharesIt() async throws {
        // Goal: somebody who looks is told of each logbook what it keeps, and takes nothing from it. Method:
        // two logbooks, before they have dealt anything out and after; one that has a store for itself.
        let address = try await address()
        let stores = try (0..<2).map { _ in try PostgreSQLStore(address, for: .keeping) }
        let looking = try PostgreSQLStore(address, for: .looking)
        #expect(try looking.sharers().map(\.parts) == [.none, .none])
        _ = try deal(stores)
        let held = try deal(stores).map(\.parts)
        let seen = try looking.sharers()
        #expect(Set(seen.map(\.parts.numbers)) == Set(held.map(\.numbers)))
        #expect(Set(seen.map(\.process)).count == 2)
        #expect(try deal(stores).map(\.parts) == held)
        for store in stores + [looking] { store.close() }

        var alone = address
        alone.isShared = false
        let isAlone = await eventually {
            guard let store = try? PostgreSQLStore(alone, for: .keeping) else { return false }
            defer { store.close() }
            return (try? store.sharers()) == []
        }
        #expect(isAlone)
    }

    @Test func whoHasLostAPartWritesNothingIntoIt() async throws {
        // Goal: no record is stored by two, and none by who only believes that a gateway is still his.
        // Method: a logbook's connection is cut; another takes all there is before the first comes back
        // with a batch of the gateway's.
        let address = try await address()
        var traffic = Traffic()
        let batch = try StoreBatch(traffic.session(Self.session, strokes: 3))
        let (first, second) = (
            try PostgreSQLStore(address, for: .keeping),
            try PostgreSQLStore(address, for: .keeping)
        )
        _ = try first.deal()
        #expect(try first.deal()?.parts.numbers.count == 8)
        #expect(try second.deal()?.parts.numbers.count == 8)
        let (owner, other) =
            try first.deal()?.parts.contains(traffic.gateway) == true
            ? (first, second) : (second, first)
        #expect(try other.commit(batch) == CommitReport())
        #expect(try owner.commit(batch).added == batch.records.count)
        let row = try other.database.number(
            "SELECT pg_terminate_backend(pid)::int FROM pg_stat_activity "
                + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
        #expect(row == 1)
        let isTaken = await eventually { (try? other.deal())?.parts == .all }
        #expect(isTaken)
        let more = try StoreBatch([traffic.event()])
        var report: CommitReport?
        while report == nil {
            do throws(StoreFailure) { report = try owner.commit(more) } catch {
                #expect(error.isPassing)
            }
        }
        #expect(report == CommitReport())
        #expect(try other.streams().filter { $0.stream.gateway == traffic.gateway }.count > 0)
        #expect(try other.commit(more).added == 1)
        #expect(try other.commit(batch).repeats == batch.records.count)
        #expect(try other.conflicts(limit: 1) == [])
    }

    @Test func aLogbookThatDoesNotShareIsKeptOut() async throws {
        // Goal: who does not know of the others cannot write among them, and is told what helps. Method:
        // one that does not share beside one that does, and the other way round.
        let shared = try await address()
        var alone = shared
        alone.isShared = false
        for (inside, outside, remedy) in [
            (shared, alone, "let them share this one with [store] shared = true"),
            (alone, shared, "set shared = true for it too"),
        ] {
            let store = try PostgreSQLStore(inside, for: .keeping)
            do throws(StoreFailure) {
                try PostgreSQLStore(outside, for: .keeping).close()
                Issue.record("it got in")
            } catch {
                #expect(error.kind == .busy && error.remedy?.contains(remedy) == true, "\(error)")
            }
            store.close()
        }
    }

    @Test func whatTheLogbooksSayIsNumberedOnce() async throws {
        // Goal: two logbooks that find out the same say it once, and no number is given twice. Method: both
        // store notices at once, some of them the same, on threads of their own.
        let address = try await address()
        let stores = [
            try PostgreSQLStore(address, for: .keeping),
            try PostgreSQLStore(address, for: .keeping),
        ]
        var begin = StoreBatch(now: 1)
        begin.notices.epoch = "01J0EP0CH000000000000000NN"
        _ = try stores[0].commit(begin)
        let texts = await withTaskGroup(of: [String].self) { group in
            for (index, store) in stores.enumerated() {
                nonisolated(unsafe) let store = store
                group.addTask { Self.say(store, from: index * 20) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(texts == [])
        let found = try stores[0].notices(after: 0, limit: 1000)
        #expect(found.map(\.sequence) == Array(1...60))
        #expect(Set(found.compactMap(\.subject)).count == 60)
    }

    /// Forty notices, half of which the other says too; what went wrong.
    private static func say(_ store: PostgreSQLStore, from first: Int) -> [String] {
        (first..<first + 40).compactMap { number in
            var batch = StoreBatch(now: 2)
            batch.notices.added = [Notice(.best, subject: "piece-\(number)", members: [123, 125])]
            while true {
                do throws(StoreFailure) {
                    _ = try store.commit(batch)
                    return nil
                } catch {
                    if !error.isPassing { return "\(error)" }
                }
            }
        }
    }
}
