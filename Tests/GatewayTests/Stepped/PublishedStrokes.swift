import Bytes
import Contract
import DeliveryProof
import Foundation

/// Received records of a day, compared with the simulated strokes.
struct PublishedStrokes {
    private struct Number: Hashable {
        let stream: StreamID
        let epoch: String
        let sequence: UInt64
    }

    fileprivate struct Session {
        var strokes: [Int: StrokePosition] = [:]
        var details: [Int: StrokeDetails] = [:]
        var athletes: [Int: String] = [:]
        var gaps: [ClosedRange<Int>] = []
        var splits: [Int: StrokeDetails] = [:]
        var splitGaps: [ClosedRange<Int>] = []
    }

    private var ledger = DeliveryLedger(
        expectsFromStart: true)
    private var sessions: [StationID: [String: Session]] = [:]
    private var seen: Set<Number> = []
    private(set) var strokes = 0
    private(set) var violations: [String] = []
    private(set) var insights = PublishedInsights()
    /// How often each stream skipped numbers that were possibly assigned.
    private(set) var skips: [String: Int] = [:]
    /// Digests of the messages by topic, in order.
    private var digests: [String: UInt64] = [:]

    /// One line per message, to compare two versions: `ROWGATE_TRANSCRIPT=FILE`.
    private let transcript: FileHandle? = {
        guard let path = ProcessInfo.processInfo.environment["ROWGATE_TRANSCRIPT"] else { return nil }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }()

    mutating func receive(topic: String, payload: [UInt8]) {
        transcript?.write(Data("\(topic) ".utf8) + payload + [UInt8(ascii: "\n")])
        Self.mix(payload, into: &digests[topic, default: 0xCBF2_9CE4_8422_2325])
        ledger.apply(topic: topic, payload: payload)
        guard case (_, .record(let stream))? = TopicPrefix.standard.parse(topic),
            [.stroke, .split, .gap, .gatewayEvent, .alert, .rollup].contains(stream.kind),
            case .object(let fields)? = try? JSONValue(parsing: payload),
            let sequence = fields.number("seq"), let epoch = fields.text("epoch")
        else { return }
        // The ledger checks that repeated records have the same bytes.
        let number = Number(stream: stream, epoch: epoch, sequence: sequence)
        guard seen.insert(number).inserted else { return }
        guard stream.kind != .alert, stream.kind != .rollup else {
            return insights.receive(stream.kind, fields, at: stream.station)
        }
        guard let station = stream.station else {
            if fields.text("reason") == "not_durable", let stream = fields.text("stream") {
                skips[stream, default: 0] += 1
            }
            return
        }
        guard let session = fields.text("session_id") else {
            return violations.append("\(topic) has no session")
        }
        if stream.kind == .stroke { strokes += 1 }
        let problem = sessions[station, default: [:]][session, default: Session()]
            .receive(stream.kind, fields)
        if let problem { violations.append("\(topic) \(session): \(problem)") }
    }

    private static func mix(_ bytes: [UInt8], into digest: inout UInt64) {
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                digest ^= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                digest = (digest &* 0x0000_0100_0000_01B3) ^ (digest >> 29)
                offset += 8
            }
            for byte in bytes[offset...] { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
    }

    /// Digest of all messages, independent of the order between topics.
    var digest: UInt64 {
        var digest: UInt64 = 0
        for (topic, value) in digests.sorted(by: { $0.key < $1.key }) {
            Self.mix(Array("\(topic) \(value)".utf8), into: &digest)
        }
        return digest
    }

    mutating func verdict() -> DeliveryVerdict { ledger.verdict() }

    // MARK: - Comparison with the simulated strokes

    /// Strokes of an erg that are neither published nor declared lost, and published ones that were not
    /// rowed.
    func differences(at station: StationID, from simulated: SimulatedStrokes) -> [String] {
        var found: [String] = []
        var published: [[Int]: [Session]] = [:]
        for (id, session) in sessions[station] ?? [:] where !session.strokes.isEmpty {
            let likest = simulated.pieces.max {
                session.likeness(to: $0.value) < session.likeness(to: $1.value)
            }
            guard let (key, piece) = likest, session.likeness(to: piece).allowed > 0
            else {
                found.append("\(station) \(id): \(session.strokes.count) strokes of no piece")
                continue
            }
            let wrong = session.strokes.filter { !piece.allows($0.value, of: $0.key) }.keys
            if !wrong.isEmpty {
                found.append("\(station) \(key): \(wrong.sorted()) differ from the simulated strokes")
            }
            found += session.wrongDetails(of: piece).map { "\(station) \(key): \($0)" }
            published[key, default: []].append(session)
        }
        for (id, splits) in simulated.splits {
            found += splits.compactMap { number, split in
                guard split.isReceived, let problem = split.problem(in: published[id] ?? [], as: number)
                else { return nil }
                return "\(station) \(id) split \(number): \(problem)"
            }
        }
        for (id, piece) in simulated.pieces {
            let sessions = published[id] ?? []
            let missing = piece.filter { number, stroke in
                stroke.isReceived && !sessions.contains { $0.accountsFor(number) }
            }
            if !missing.isEmpty {
                found.append(
                    "\(station) \(id): \(missing.keys.sorted()) of \(piece.count) are missing, "
                        + "\(sessions.count) sessions")
            }
            let repeated = piece.keys.filter { number in
                sessions.count { $0.strokes[number] == piece[number]?.figures } > 1
            }
            if !repeated.isEmpty { found.append("\(station) \(id): \(repeated.sorted()) twice") }
            let misplaced = piece.filter { number, stroke in
                guard case .known(let athlete) = stroke.assignment else { return false }
                return sessions.contains {
                    $0.strokes[number] == stroke.figures && $0.athletes[number] != athlete
                }
            }
            if !misplaced.isEmpty {
                found.append("\(station) \(id): \(misplaced.keys.sorted()) have another athlete")
            }
        }
        found += insights.differences(at: station) { session in
            Set(sessions[station]?[session]?.strokes.keys.map(\.self) ?? [])
        }
        return found.sorted()
    }
}

extension SimulatedStrokes.Piece {
    /// Whether a stroke may be published with this position. The last stroke before the end of a link or a
    /// session may be published incomplete.
    fileprivate func allows(_ figures: StrokePosition, of number: Int) -> Bool {
        guard let stroke = self[number] else { return number == (keys.max() ?? 0) + 1 }
        let before = self[number - 1]?.figures.elapsedCentiseconds ?? 0
        let isPart = (before...stroke.figures.elapsedCentiseconds)
            .contains(figures.elapsedCentiseconds)
        return stroke.figures == figures || (isPart && (!stroke.isReceived || number == count))
    }
}

extension SimulatedStrokes.Split {
    /// The problem of a received split in `sessions`; nil for none.
    fileprivate func problem(
        in sessions: [PublishedStrokes.Session], as number: Int
    ) -> String? {
        let published = sessions.compactMap { $0.splits[number] }
        guard let first = published.first else {
            let isDeclared = sessions.contains { $0.splitGaps.contains { $0.contains(number) } }
            return isDeclared ? nil : "is missing"
        }
        let wrong = details.differences(in: first)
        if published.count > 1 { return "published \(published.count) times" }
        return wrong.isEmpty ? nil : wrong.joined(separator: ", ")
    }
}

extension PublishedStrokes.Session {
    /// Adds a stroke, split or gap; returns its problem, if any.
    fileprivate mutating func receive(_ kind: StreamKind, _ fields: JSONObject) -> String? {
        func value(_ name: String) -> Double? {
            if case .number(let text)? = fields[name] { Double(text) } else { nil }
        }
        switch kind {
        case .stroke:
            guard let number = fields.number("stroke").map(Int.init),
                let figures = StrokePosition(fields)
            else { return "no number" }
            athletes[number] = fields.text("athlete_id")
            details[number] = StrokeDetails(StrokeDetails.ofStroke, value)
            let old = strokes.updateValue(figures, forKey: number)
            return old == nil ? nil : "stroke \(number) twice"
        case .split:
            guard let number = fields.number("split").map(Int.init) else { return "no number" }
            let old = splits.updateValue(
                StrokeDetails(StrokeDetails.ofSplit, value), forKey: number)
            return old == nil ? nil : "split \(number) twice"
        default:
            let (ofStrokes, ofSplits) = (
                fields.range("from_stroke", "to_stroke"), fields.range("from_split", "to_split")
            )
            if let range = ofStrokes { gaps.append(Int(range.lowerBound)...Int(range.upperBound)) }
            if let range = ofSplits {
                splitGaps.append(Int(range.lowerBound)...Int(range.upperBound))
            }
            return nil
        }
    }

    /// How many of its strokes are allowed by `piece`, and how many are equal.
    fileprivate func likeness(to piece: SimulatedStrokes.Piece) -> (allowed: Int, equal: Int) {
        (
            strokes.count { piece.allows($0.value, of: $0.key) },
            strokes.count { piece[$0.key]?.figures == $0.value }
        )
    }

    /// Wrong details of strokes that were completely received.
    fileprivate func wrongDetails(of piece: SimulatedStrokes.Piece) -> [String] {
        strokes.sorted { $0.key < $1.key }.compactMap { number, figures in
            guard let simulated = piece[number], simulated.isReceived, simulated.figures == figures,
                let published = details[number]
            else { return nil }
            let wrong = simulated.details.differences(in: published)
            return wrong.isEmpty ? nil : "stroke \(number): \(wrong.joined(separator: ", "))"
        }
    }

    fileprivate func accountsFor(_ number: Int) -> Bool {
        strokes[number] != nil || gaps.contains { $0.contains(number) }
    }
}

extension StrokePosition {
    /// Reads both numbers with the decimals of the wire format.
    fileprivate init?(_ fields: JSONObject) {
        func count(_ name: String) -> Int? {
            guard case .number(let text)? = fields[name] else { return nil }
            return Int(text.filter { $0 != "." })
        }
        guard let elapsed = count("elapsed_s"), let distance = count("distance_m") else {
            return nil
        }
        self.init(elapsedCentiseconds: elapsed, distanceDecimeters: distance)
    }
}
