import TestSupport
import Testing

@testable import Logbook
@testable import LogbookStores
@testable import WebServer

/// The interface with its records on a server, beside the same records in a file.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct BothStoresTests {
    private static let sessions = [
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "01J7ZK3Q5XQ4W8G9T2V6B0C1DG",
    ]

    /// Every endpoint that tells what is stored, for names that are there and for one that is not.
    private static let questions: [String] =
        Endpoint.allCases.filter { $0.tellsRecords }.flatMap { endpoint in
            let path = endpoint.rawValue.dropFirst(Endpoint.root.count)
            let filled = ["boathouse", "shed", "nobody"].flatMap { gateway in
                ["anna", "nobody"].map { athlete in
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
            "/sessions?erg=erg-1&gw=shed", "/sessions?state=open", "/athletes/anna/volume?by=week",
        ]

    /// Two gateways, three sessions, one of which lost its end, and one of which goes on.
    private func fill(_ room: InterfaceRoom) throws {
        for gateway in ["boathouse", "shed"] {
            var traffic = Traffic(gateway: gateway)
            var messages = traffic.session(Self.sessions[0], strokes: 12, missesItsEnd: true)
            messages += traffic.session(Self.sessions[1], strokes: 3)
            messages += traffic.session(Self.sessions[2], strokes: 4).dropLast(2)
            try room.keep(messages.map { $0.seating("anna") })
            // Once more, and one of them with another content.
            try room.keep(Array(messages.prefix(3)))
        }
    }

    @Test func theAnswersAreTheSame() async throws {
        // Goal: whoever moves to a server gets the same answers. Method: the same records in both; every
        // question as the coach, byte for byte, following each list to its end.
        let server = try await PrivatePostgreSQL.shared.value.makeDatabase()
        let rooms = [try InterfaceRoom(), try InterfaceRoom(server: server)]
        for room in rooms { try fill(room) }
        #expect(Self.questions.count > 60)
        var told = 0
        for question in Self.questions {
            let (file, served) = (
                await Self.text(rooms[0], question), await Self.text(rooms[1], question)
            )
            #expect(file == served, "\(question)")
            if file.hasPrefix("content") { told += 1 }
        }
        #expect(told > 30, "\(told)")
        for list in ["/sessions/shed/\(Self.sessions[0])/forces", "/gateways/shed/streams"] {
            let name = list.hasSuffix("forces") ? "records" : "streams"
            let pages = try await rooms[1].list(list, name, limit: 3)
            let whole = try await rooms[0].list(list, name, limit: 1000)
            #expect(pages.count == whole.count && !whole.isEmpty, "\(list)")
        }
    }

    private static func text(_ room: InterfaceRoom, _ question: String) async -> String {
        switch await room.answer(question) {
        case .content(let type, let bytes, _):
            // When it was asked is another moment for each.
            "content \(type) "
                + String(decoding: bytes, as: UTF8.self)
                .replacing(/"(sent|broker)_ms":[0-9]+/, with: "")
        case .failure(let status, let code, let words, _): "failure \(status) \(code) \(words)"
        case let other: "\(other)"
        }
    }
}

extension Endpoint {
    /// Whether it is read, and its answer rests on the store.
    fileprivate var tellsRecords: Bool {
        switch self {
        case .document, .live, .guest, .signIn, .signOut, .commands, .races, .race, .raceResults,
            .suggestionAnswer, .heart, .setPlan, .removePlan:
            false
        default: true
        }
    }
}
