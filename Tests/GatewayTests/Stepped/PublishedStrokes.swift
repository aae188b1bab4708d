import Bytes
import Contract
import DeliveryProof
import HostRuntime

/// What a subscriber got of a day, and how it stands against what was rowed.
struct PublishedStrokes {
    private struct Number: Hashable {
        let stream: StreamID
        let epoch: String
        let sequence: UInt64
    }

    fileprivate struct Session {
        var strokes: [Int: StrokeFigures] = [:]
        var details: [Int: RowedDetails] = [:]
        var athletes: [Int: String] = [:]
        var gaps: [ClosedRange<Int>] = []
        var splits: [Int: RowedDetails] = [:]
        var splitGaps: [ClosedRange<Int>] = []
    }

    private var ledger = DeliveryLedger(
        owesEverything: true, digest: SHA256Digest.hexadecimal(of:))
    private var sessions: [StationID: [String: Session]] = [:]
    private var seen: Set<Number> = []
    private(set) var strokes = 0
    private(set) var violations: [String] = []
    private(set) var insights = PublishedInsights()
    /// How often each stream passed over numbers, since nobody knew whether they were given out.
    private(set) var skips: [String: Int] = [:]
    /// Of the messages of each topic, in order.
    private var digests: [String: UInt64] = [:]

    mutating func take(topic: String, payload: [UInt8]) {
        Self.mix(payload, into: &digests[topic, default: 0xCBF2_9CE4_8422_2325])
        ledger.take(topic: topic, payload: payload)
        guard case (_, .record(let stream))? = TopicMap.read(topic),
            [.stroke, .split, .gap, .gatewayEvent, .alert, .rollup].contains(stream.kind),
            case .object(let fields)? = try? JSONValue(parsing: payload),
            let sequence = fields.number("seq"), let epoch = fields.text("epoch")
        else { return }
        // What comes again was published before: the ledger sees to it that it is the same.
        let number = Number(stream: stream, epoch: epoch, sequence: sequence)
        guard seen.insert(number).inserted else { return }
        guard stream.kind != .alert, stream.kind != .rollup else {
            return insights.take(stream.kind, fields, at: stream.station)
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
            .take(stream.kind, fields)
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

    /// Of all messages, whatever the order in which those of different topics came.
    var digest: UInt64 {
        var digest: UInt64 = 0
        for (topic, value) in digests.sorted(by: { $0.key < $1.key }) {
            Self.mix(Array("\(topic) \(value)".utf8), into: &digest)
        }
        return digest
    }

    mutating func verdict() -> DeliveryVerdict { ledger.verdict() }

    // MARK: - Against what was rowed

    /// What of a place's rowing is neither published nor declared lost, and what was never rowed.
    func differences(at station: StationID, from rowed: RowedStrokes) -> [String] {
        var found: [String] = []
        var told: [[Int]: [Session]] = [:]
        for (id, session) in sessions[station] ?? [:] where !session.strokes.isEmpty {
            let likest = rowed.pieces.max {
                session.likeness(to: $0.value) < session.likeness(to: $1.value)
            }
            guard let (key, piece) = likest, session.likeness(to: piece).allowed > 0
            else {
                found.append("\(station) \(id): \(session.strokes.count) strokes of no piece")
                continue
            }
            let wrong = session.strokes.filter { !piece.allows($0.value, of: $0.key) }.keys
            if !wrong.isEmpty {
                found.append("\(station) \(key): \(wrong.sorted()) are not as they were rowed")
            }
            found += session.wrongDetails(of: piece).map { "\(station) \(key): \($0)" }
            told[key, default: []].append(session)
        }
        for (id, splits) in rowed.splits {
            found += splits.compactMap { number, split in
                guard split.isHeard, let problem = split.problem(in: told[id] ?? [], as: number)
                else { return nil }
                return "\(station) \(id) split \(number): \(problem)"
            }
        }
        for (id, piece) in rowed.pieces {
            let sessions = told[id] ?? []
            let missing = piece.filter { number, stroke in
                stroke.isHeard && !sessions.contains { $0.accountsFor(number) }
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
                guard case .known(let athlete) = stroke.seating else { return false }
                return sessions.contains {
                    $0.strokes[number] == stroke.figures && $0.athletes[number] != athlete
                }
            }
            if !misplaced.isEmpty {
                found.append("\(station) \(id): \(misplaced.keys.sorted()) are not whose they were")
            }
        }
        found += insights.differences(at: station) { session in
            Set(sessions[station]?[session]?.strokes.keys.map(\.self) ?? [])
        }
        return found.sorted()
    }
}

extension RowedStrokes.Piece {
    /// Whether a stroke may be published so. One that the end of a link or of the piece cut is told
    /// as far as it was heard, even if the monitor was switched off before it was over.
    fileprivate func allows(_ figures: StrokeFigures, of number: Int) -> Bool {
        guard let stroke = self[number] else { return number == (keys.max() ?? 0) + 1 }
        let before = self[number - 1]?.figures.elapsedCentiseconds ?? 0
        let isPart = (before...stroke.figures.elapsedCentiseconds)
            .contains(figures.elapsedCentiseconds)
        return stroke.figures == figures || (isPart && (!stroke.isHeard || number == count))
    }
}

extension RowedStrokes.Split {
    /// What is wrong with how a split that was heard is told.
    fileprivate func problem(
        in sessions: [PublishedStrokes.Session], as number: Int
    ) -> String? {
        let told = sessions.compactMap { $0.splits[number] }
        guard let first = told.first else {
            let isDeclared = sessions.contains { $0.splitGaps.contains { $0.contains(number) } }
            return isDeclared ? nil : "is missing"
        }
        let wrong = details.differences(in: first)
        if told.count > 1 { return "told \(told.count) times" }
        return wrong.isEmpty ? nil : wrong.joined(separator: ", ")
    }
}

extension PublishedStrokes.Session {
    /// Takes a stroke, split or gap in; returns what is wrong with it.
    fileprivate mutating func take(_ kind: StreamKind, _ fields: JSONObject) -> String? {
        func value(_ name: String) -> Double? {
            if case .number(let text)? = fields[name] { Double(text) } else { nil }
        }
        switch kind {
        case .stroke:
            guard let number = fields.number("stroke").map(Int.init),
                let figures = StrokeFigures(fields)
            else { return "no number" }
            athletes[number] = fields.text("athlete_id")
            details[number] = RowedDetails(RowedDetails.ofStroke, value)
            let old = strokes.updateValue(figures, forKey: number)
            return old == nil ? nil : "stroke \(number) twice"
        case .split:
            guard let number = fields.number("split").map(Int.init) else { return "no number" }
            let old = splits.updateValue(
                RowedDetails(RowedDetails.ofSplit, value), forKey: number)
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

    /// How many of its strokes can be, and how many are those of `piece`.
    fileprivate func likeness(to piece: RowedStrokes.Piece) -> (allowed: Int, equal: Int) {
        (
            strokes.count { piece.allows($0.value, of: $0.key) },
            strokes.count { piece[$0.key]?.figures == $0.value }
        )
    }

    /// Of strokes that were heard whole and are told with their last packet.
    fileprivate func wrongDetails(of piece: RowedStrokes.Piece) -> [String] {
        strokes.sorted { $0.key < $1.key }.compactMap { number, figures in
            guard let rowed = piece[number], rowed.isHeard, rowed.figures == figures,
                let told = details[number]
            else { return nil }
            let wrong = rowed.details.differences(in: told)
            return wrong.isEmpty ? nil : "stroke \(number): \(wrong.joined(separator: ", "))"
        }
    }

    fileprivate func accountsFor(_ number: Int) -> Bool {
        strokes[number] != nil || gaps.contains { $0.contains(number) }
    }
}

extension StrokeFigures {
    /// Both figures have as many places as on the wire.
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
