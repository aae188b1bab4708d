import TestSupport
import Testing

@testable import Logbook
@testable import LogbookStores
@testable import WebServer

/// PostgreSQL and SQLite give the same HTTP responses for the same records.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct BothStoresTests {
    private static let sessions = [
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "01J7ZK3Q5XQ4W8G9T2V6B0C1DG",
    ]

    /// All endpoints that read the store, with existing and unknown names.
    private static let addresses: [String] =
        Endpoint.allCases.filter { $0.readsStore }.flatMap { endpoint in
            let path = endpoint.route.path.dropFirst(Endpoint.root.count)
            let filled = ["boathouse", "shed", "unknown"].flatMap { gateway in
                ["anna", "unknown"].map { athlete in
                    path.replacing("{gw}", with: gateway)
                        .replacing("{session_id}", with: sessions[0])
                        .replacing("{athlete_id}", with: athlete)
                        .replacing("{plan_id}", with: "spring")
                }
            }
            return Set(filled).flatMap { address -> [String] in
                guard endpoint.parameters.contains(.limit) else { return [String(address)] }
                return [String(address), "\(address)?limit=1", "\(address)?limit=1000"]
            }
        }
        + ["csv", "jsonl", "tcx", "fit"].map {
            "/sessions/boathouse/\(sessions[0])/export?format=\($0)"
        }
        + [
            "/sessions?athlete_id=anna&state=missing", "/sessions?from=2026-09-05&to=2026-09-05",
            "/sessions?erg=erg-1&gw=shed", "/sessions?state=open", "/pieces?athlete_id=anna&to=2026-09-05",
            "/athletes/anna/volume?by=week",
        ]

    /// Saves three sessions of two gateways. One has no end, one is in progress.
    private func saveSessions(in fixture: InterfaceFixture) throws {
        for gateway in ["boathouse", "shed"] {
            var traffic = Traffic(gateway: gateway)
            var messages = traffic.session(Self.sessions[0], strokes: 12, missesItsEnd: true)
            messages += traffic.session(Self.sessions[1], strokes: 3)
            messages += traffic.session(Self.sessions[2], strokes: 4).dropLast(2)
            try fixture.save(messages.map { $0.assigned(to: "anna") })
            // Repeated records, of which one differs.
            try fixture.save(Array(messages.prefix(3)))
        }
    }

    @Test func bothStoresGiveSameAnswers() async throws {
        let server = try await PrivatePostgreSQL.shared.value.makeDatabase()
        let fixtures = [try InterfaceFixture(), try InterfaceFixture(server: server)]
        for fixture in fixtures { try saveSessions(in: fixture) }
        #expect(Self.addresses.count > 60)
        var contentCount = 0
        for address in Self.addresses {
            let (file, served) = (
                await Self.text(fixtures[0], address), await Self.text(fixtures[1], address)
            )
            #expect(file == served, "\(address)")
            if file.hasPrefix("content") { contentCount += 1 }
        }
        #expect(contentCount > 30, "\(contentCount)")
        for list in ["/sessions/shed/\(Self.sessions[0])/forces", "/gateways/shed/streams"] {
            let name = list.hasSuffix("forces") ? "records" : "streams"
            let pages = try await fixtures[1].list(list, name, limit: 3)
            let whole = try await fixtures[0].list(list, name, limit: 1000)
            #expect(pages.count == whole.count && !whole.isEmpty, "\(list)")
        }
    }

    private static func text(_ fixture: InterfaceFixture, _ address: String) async -> String {
        switch await fixture.answer(address) {
        case .content(let type, let bytes, _):
            // The times of the request differ.
            "content \(type) "
                + String(decoding: bytes, as: UTF8.self)
                .replacing(/"(sent|broker)_ms":[0-9]+/, with: "")
        case .failure(let status, let code, let message, _): "failure \(status) \(code) \(message)"
        case let other: "\(other)"
        }
    }
}

extension Endpoint {
    /// Whether the endpoint only reads the store.
    var readsStore: Bool {
        switch self {
        case .document, .live, .me, .guest, .signIn, .signOut, .commands, .races, .race, .raceResults,
            .suggestionAnswer, .heart, .setPlan, .deletePlan, .removePlan:
            false
        default: true
        }
    }
}
