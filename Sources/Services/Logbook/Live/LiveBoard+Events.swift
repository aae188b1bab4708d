import Bytes
import Contract
import Rowing
import Timeline

/// Writes the board as events of a stream (text/event-stream, HTML Living Standard 9.2.6).
extension LiveBoard {
    /// Returns the events that bring a reader from version `seen` to the current state.
    ///
    /// - Parameters:
    ///   - seen: The version that the reader has; 0 for a new reader.
    ///   - scope: The part of the board to show.
    ///   - hasBeat: Whether a keep-alive event is due.
    ///   - version: The version of this program.
    func events(
        since seen: UInt64, of scope: Scope = Scope(), hasBeat: Bool, at now: BootInstant,
        clock: WallClock, version: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let sent = clock.unixMilliseconds(at: now)
        if seen < lastRemoval {
            Self.append("room", to: &bytes) {
                write(room: &$0, of: scope, sent, version, at: now)
            }
            return bytes
        }
        if broker.changed > seen {
            Self.append("broker", to: &bytes) { write(broker: &$0, at: now) }
        }
        for place in places.keys.sorted() {
            guard let state = places[place], state.changed > seen, isShown(place, in: scope)
            else { continue }
            Self.append(place.kind.event, to: &bytes) {
                Self.write(place, state, in: scope, to: &$0, at: now)
            }
        }
        for best in currentBests(in: scope, at: now) where best.changed > seen {
            Self.append("best", to: &bytes) { Self.write(best, to: &$0, at: now) }
        }
        if hasBeat {
            Self.append("beat", to: &bytes) { $0.field("sent_ms", sent) }
        }
        return bytes
    }

    private func write(
        room writer: inout JSONWriter, of scope: Scope, _ sent: Int64, _ version: String,
        at now: BootInstant
    ) {
        writer.field("sent_ms", sent)
        writer.field("version", version)
        writer.object("broker") { write(broker: &$0, at: now) }
        let bests = currentBests(in: scope, at: now)
        if !bests.isEmpty { writer.list("bests", of: bests) { Self.write($1, to: &$0, at: now) } }
        let shown = places.filter { isShown($0.key, in: scope) }.sorted { $0.key < $1.key }
        for kind in PlaceKind.allCases {
            let found = shown.filter { $0.key.kind == kind }
            // Most rooms have no crews.
            if kind == .crew, found.isEmpty { continue }
            writer.list(kind.list, of: found) {
                Self.write($1.key, $1.value, in: scope, to: &$0, at: now)
            }
        }
        let more = ergsOffWall.count
        if scope.gateway == nil, !scope.hasAllErgs, more > 0 { writer.field("more_ergs", more) }
    }

    /// The page of one erg shows no bests.
    private func currentBests(in scope: Scope, at now: BootInstant) -> [Best] {
        guard scope.erg == nil else { return [] }
        return bests.filter { best in
            best.since.duration(to: now) < Self.bestDisplayTime
                && (scope.gateway == nil || best.gateway == scope.gateway)
        }
    }

    private static func write(_ best: Best, to writer: inout JSONWriter, at now: BootInstant) {
        writer.field("age_ms", best.since.duration(to: now).wholeMilliseconds)
        writer.key("payload")
        writer.value(json: best.payload)
    }

    private func write(broker writer: inout JSONWriter, at now: BootInstant) {
        writer.field("connected", broker.isConnected)
        writer.field("since_ms_ago", broker.since.duration(to: now).wholeMilliseconds)
    }

    private static func write(
        _ place: Place, _ state: PlaceState, in scope: Scope, to writer: inout JSONWriter,
        at now: BootInstant
    ) {
        // Other messages of the gateway name other ergs.
        let kinds = scope.erg != nil && place.kind == .gateway ? [.availability] : Kind.allCases
        writer.field("gw", place.gateway.slug)
        writer.field("erg", place.erg?.slug)
        writer.field("crew", place.crew?.slug)
        writer.object("messages") { writer in
            for kind in kinds {
                guard let message = state.messages[kind] else { continue }
                writer.key(kind.rawValue)
                writer.object { writer in
                    writer.field("age_ms", message.timestamp.duration(to: now).wholeMilliseconds)
                    writer.key("payload")
                    writer.value(json: message.payload)
                }
            }
        }
    }

    private static func append(
        _ event: String, to bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void
    ) {
        bytes.append(contentsOf: "event: \(event)\ndata: ".utf8)
        bytes.append(contentsOf: JSONWriter.object(write))
        bytes.append(contentsOf: "\n\n".utf8)
    }
}

extension LiveBoard.PlaceKind {
    fileprivate var event: String {
        switch self {
        case .gateway: "gateway"
        case .erg: "erg"
        case .crew: "crew"
        }
    }

    /// The name of the list of all such places in the `room` event.
    fileprivate var list: StaticString {
        switch self {
        case .gateway: "gateways"
        case .erg: "ergs"
        case .crew: "crews"
        }
    }
}
