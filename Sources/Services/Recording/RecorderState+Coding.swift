import Bytes
import Contract
import Insights
import Rowing

/// The state as bytes, for the head of a segment; those of a later version are refused. Reading
/// changes every field.
///
/// | field | width | content |
/// |---|---|---|
/// | version | 1 | 4; 1 had no athletes; a number in parentheses is the first version with the field |
/// | epoch (3) | sized | ULID text |
/// | boot id | sized | 32 hexadecimal digits |
/// | stations | varint | count |
/// | slug | sized | empty for the gateway itself |
/// | announced (3) | 1 | bit k - 1 for kind k |
/// | next, acknowledged, skipped (3) | 3 varints per kind | in the order of the kinds, 1 to 8 |
/// | last time | varint | Unix milliseconds |
/// | checkpoint | sized | empty for none |
/// | athlete | sized | empty for none |
/// | until | 1 | 1 when the assignment ends with the session |
/// | last session, its athlete | 2 sized | empty for none |
/// | session | sized | empty when none is open; else position and eight first numbers follow |
/// | losses (4) | varint | count; behind the stations |
/// | stream | sized, 1 | slug and kind |
/// | reason | sized | `GatewayEvent.DropReason` |
/// | sequences | 2 varints | first and last |
/// | ended sessions | varint | count; absent if 0 |
/// | erg, session | 2 sized | |
/// | position, first | varint, 8 varints | as those of an open session |
/// | monitor's strokes | varint | 0 for none, else the count plus 1 |
/// | later kinds | 1 | number of kinds after the eighth; absent or 0 in states of earlier versions |
/// | their ergs | varint | count |
/// | slug | sized | as above |
/// | announced, next, acknowledged, skipped | 1, 3 varints per later kind | |
/// | alerts | varint | count of firing alerts |
/// | id, rule, session | 3 sized | the session is empty for none |
/// | since | varint | Unix milliseconds |
/// | value, threshold | 2 varints | hundredths plus 1; 0 for none |
/// | acknowledged | varint | Unix milliseconds; 0 if not acknowledged |
/// | by | sized | name; empty if unknown |
/// | losses | varint | of later kinds, as above |
/// | counted sessions | varint | count; 0 if only crews follow |
/// | session | sized | one of the above, with records in a lost ring |
/// | counts | 4 varints | strokes, curves, splits and gaps in that ring |
/// | first, last stroke | 2 varints | numbers; 0 for none |
/// | newest | varint | Unix milliseconds of the last record in that ring |
/// | digest | sized | of the strokes in that ring, as `SHA256Digest.state` |
/// | crews | varint | count of crews defined by commands; absent if 0 |
/// | name, ergs | sized, varint | and a slug for each erg |
/// | pending entries | varint | count of entries that are about to be written; absent if 0 |
/// | entry | sized | as `RingEntry` |
/// | rest | | zeros, in a state from which an athlete was erased |
extension RecorderState: ByteCodable {
    private static let version: UInt8 = 4
    fileprivate static let versionWithoutAthletes: UInt8 = 1
    fileprivate static let versionWithoutEpoch: UInt8 = 2
    private static let versionWithoutLosses: UInt8 = 3

    static var blank: RecorderState {
        var state = RecorderState()
        state.knowsEveryKind = false
        return state
    }

    mutating func code(with coder: inout ByteCoder) {
        var version = Self.version
        version.code(with: &coder)
        guard (1...Self.version).contains(version) else { return coder.refuse() }
        if version > Self.versionWithoutEpoch { epoch.code(with: &coder) }
        bootID.code(with: &coder)
        var stations = stationStates.map { (station: $0.key, state: $0.value) }
            .sorted { ($0.station?.slug ?? "") < ($1.station?.slug ?? "") }
        coder.list(&stations, blank: (nil, StationRecordState())) { coder, entry in
            coder.station(&entry.station)
            entry.state.code(with: &coder, version)
        }
        stationStates = Dictionary(stations.map { ($0.station, $0.state) }) { $1 }
        guard version > Self.versionWithoutLosses else { return }
        coder.losses(&undeclared, areLater: false)
        let hasCrews = !crews.isEmpty || !pendingEntries.isEmpty
        let hasSums = !sums.isEmpty || hasCrews
        let isMore = knowsEveryKind || hasSums
        guard coder.isReading ? coder.hasMore : isMore || !ended.isEmpty else { return }
        var sessions: [EndedSession?] = ended
        coder.list(&sessions, blank: nil) { $0.ended(&$1) }
        ended = sessions.compactMap(\.self)
        if coder.isReading ? coder.hasMore : isMore { codeLaterKinds(with: &coder) }
        if coder.isReading ? coder.hasMore : hasSums { codeSums(with: &coder) }
        if coder.isReading ? coder.hasMore : hasCrews { codeCrews(with: &coder) }
        guard coder.isReading ? coder.hasMore : !pendingEntries.isEmpty else { return }
        coder.list(&pendingEntries, blank: []) { $1.code(with: &$0) }
    }

    /// Fields added after version 4, which ignores them.
    private mutating func codeLaterKinds(with coder: inout ByteCoder) {
        var count = knowsEveryKind || coder.isReading ? UInt8(StreamKind.later.count) : 0
        count.code(with: &coder)
        guard count > 0 else { return }
        knowsEveryKind = count >= StreamKind.later.count
        let known = stationStates
        var ergs = stationStates.filter(\.value.hasLater).map { (station: $0.key, state: $0.value) }
            .sorted { ($0.station?.slug ?? "") < ($1.station?.slug ?? "") }
        coder.list(&ergs, blank: (nil, StationRecordState())) { coder, erg in
            coder.station(&erg.station)
            erg.state = known[erg.station] ?? StationRecordState()
            erg.state.codeLaterKinds(with: &coder, count: Int(count))
        }
        for erg in ergs { stationStates[erg.station] = erg.state }
        coder.losses(&undeclared, areLater: true)
    }

    private mutating func codeSums(with coder: inout ByteCoder) {
        var sums = sums
        coder.list(&sums, blank: (SessionID(""), SessionSum())) { $0.sum(&$1.session, &$1.sum) }
        addCounts(Dictionary(sums.map { ($0.session, $0.sum) }) { $1 })
    }

    private mutating func codeCrews(with coder: inout ByteCoder) {
        var crews: [Crew?] = crews
        coder.list(&crews, blank: nil) { $0.crew(&$1) }
        self.crews = crews.compactMap(\.self)
    }

    /// Record counts of the sessions whose manifest this recorder still has to write, and whose records were
    /// in rings that are now lost.
    private var sums: [(session: SessionID, sum: SessionSum)] {
        unsettled.compactMap { place in
            place.begun.counted.map { (place.begun.session, $0) }
        }
    }
}

extension RecorderState.StationRecordState {
    fileprivate mutating func code(with coder: inout ByteCoder, _ version: UInt8) {
        let isOld = version <= RecorderState.versionWithoutEpoch
        var bits = announced.reduce(0) { $0 | $1.bit }
        if !isOld { bits.code(with: &coder) }
        announced.formUnion(StreamKind.first.filter { bits & $0.bit != 0 })
        for kind in StreamKind.first { code(kind, with: &coder, hasSkipped: !isOld) }
        var time = UInt64(clamping: lastUnixMilliseconds)
        coder.varint(&time)
        lastUnixMilliseconds = Int64(clamping: time)
        checkpoint.code(with: &coder)
        if version > RecorderState.versionWithoutAthletes { assignment.code(with: &coder) }
        var begun = open ?? .none
        begun.code(with: &coder)
        open = begun == .none ? nil : begun
    }

    fileprivate var hasLater: Bool {
        announced.contains(where: \.isLater) || !firing.alerts.isEmpty
    }

    fileprivate mutating func codeLaterKinds(with coder: inout ByteCoder, count: Int) {
        // Kinds of a later version are dropped, like their records.
        var lost = Self()
        for index in 0..<count {
            let kind = index < StreamKind.later.count ? StreamKind.later[index] : nil
            var isAnnounced = kind.map(announced.contains) ?? false
            isAnnounced.code(with: &coder)
            if let kind {
                if isAnnounced { announced.insert(kind) }
                code(kind, with: &coder)
            } else {
                lost.code(.alert, with: &coder)
            }
        }
        firing.code(with: &coder)
    }

    private mutating func code(
        _ kind: StreamKind, with coder: inout ByteCoder, hasSkipped: Bool = true
    ) {
        coder.varint(&next[kind])
        coder.varint(&acknowledged[kind])
        if hasSkipped { coder.varint(&skipped[kind]) }
        if next[kind] == 0 { coder.refuse() }
        if next[kind] > 1 { announced.insert(kind) }
    }
}

extension StoredAlerts {
    /// Codes the alerts. An absent value or threshold is 0, and a present one is stored plus 1. An absent text is empty,
    /// and an absent time of acknowledgement is 0.
    fileprivate mutating func code(with coder: inout ByteCoder) {
        let blank = Entry(id: "", rule: "", session: nil, sinceUnixMilliseconds: 0)
        func coded(_ value: Int?) -> UInt64 { value.map { UInt64(clamping: $0) + 1 } ?? 0 }
        func decoded(_ coded: UInt64) -> Int? { coded > 0 ? Int(clamping: coded - 1) : nil }
        coder.list(&alerts, blank: blank) { coder, alert in
            var (session, name) = (alert.session ?? "", alert.acknowledgedBy ?? "")
            var since = UInt64(clamping: alert.sinceUnixMilliseconds)
            var acknowledged = UInt64(clamping: alert.acknowledgedUnixMilliseconds ?? 0)
            var (value, threshold) = (coded(alert.value), coded(alert.threshold))
            alert.id.code(with: &coder)
            alert.rule.code(with: &coder)
            session.code(with: &coder)
            coder.varint(&since)
            coder.varint(&value)
            coder.varint(&threshold)
            coder.varint(&acknowledged)
            name.code(with: &coder)
            alert.session = session.isEmpty ? nil : session
            alert.sinceUnixMilliseconds = Int64(clamping: since)
            (alert.value, alert.threshold) = (decoded(value), decoded(threshold))
            alert.acknowledgedUnixMilliseconds =
                acknowledged > 0 ? Int64(clamping: acknowledged) : nil
            alert.acknowledgedBy = name.isEmpty ? nil : name
        }
    }
}

extension RecorderState.OpenSession {
    fileprivate static let none = Self(
        session: SessionID(""), position: 0, first: StreamNumbers(repeating: 1))

    /// Name and begin of the session; an empty name for none.
    fileprivate mutating func code(with coder: inout ByteCoder) {
        var name = session.text
        name.code(with: &coder)
        session = SessionID(name)
        guard !name.isEmpty else { return }
        coder.varint(&position)
        for kind in StreamKind.first { coder.varint(&first[kind]) }
    }
}

extension AthleteAssignment {
    fileprivate mutating func code(with coder: inout ByteCoder) {
        var (athlete, lastAthlete) = (athlete ?? "", lastAthlete ?? "")
        var (endsWithSession, session) = (until == .sessionEnd, lastSession?.text ?? "")
        athlete.code(with: &coder)
        endsWithSession.code(with: &coder)
        session.code(with: &coder)
        lastAthlete.code(with: &coder)
        self = AthleteAssignment(
            athlete: athlete.isEmpty ? nil : athlete,
            until: endsWithSession ? .sessionEnd : .changed,
            lastSession: session.isEmpty ? nil : SessionID(session),
            lastAthlete: lastAthlete.isEmpty ? nil : lastAthlete)
    }
}

extension StreamKind {
    /// The kinds that every version of the state has.
    fileprivate static let first = allCases.filter { !$0.isLater }
    fileprivate static let later = allCases.filter(\.isLater)

    fileprivate var isLater: Bool { rawValue > StreamKind.manifest.rawValue }
    fileprivate var bit: UInt8 { 1 << (rawValue - 1) }
}

extension ByteCoder {
    fileprivate mutating func ended(_ session: inout RecorderState.EndedSession?) {
        var (station, begun) = (session?.station, session?.begun ?? .none)
        var strokes = session?.monitorStrokes.map { UInt64(clamping: $0) + 1 } ?? 0
        self.station(&station)
        begun.code(with: &self)
        varint(&strokes)
        guard let station else { return refuse() }
        session = RecorderState.EndedSession(
            station: station, begun: begun,
            monitorStrokes: strokes == 0 ? nil : Int(clamping: strokes - 1))
    }

    fileprivate mutating func crew(_ crew: inout Crew?) {
        var name = crew?.id.slug ?? ""
        var ergs: [StationID?] = crew?.ergs ?? []
        name.code(with: &self)
        list(&ergs, blank: nil) { $0.station(&$1) }
        crew = CrewID(name).flatMap { Crew($0, ergs.compactMap(\.self)) }
        if crew == nil { refuse() }
    }

    fileprivate mutating func losses(
        _ losses: inout [UndeclaredLosses.Loss: ClosedRange<UInt64>], areLater: Bool
    ) {
        var coded = losses.filter { $0.key.stream.kind.isLater == areLater }
            .map { (loss: $0.key, sequences: $0.value) }
        let stream = StreamID(station: nil, kind: .gatewayEvent)
        let blank = UndeclaredLosses.Loss(stream: stream, reason: .overwritten)
        list(&coded, blank: (blank, 1...1)) { $0.loss(&$1.loss, &$1.sequences) }
        losses.merge(coded.map { ($0.loss, $0.sequences) }) { $1 }
    }

    fileprivate mutating func sum(_ session: inout SessionID, _ sum: inout SessionSum) {
        var (name, first, last) = (
            session.text, sum.strokes?.lowerBound ?? 0, sum.strokes?.upperBound ?? 0
        )
        name.code(with: &self)
        for kind in SessionSum.kinds { varint(&sum.counts[kind]) }
        varint(&first)
        varint(&last)
        varint(&sum.newest)
        sum.digest.code(with: &self)
        guard first <= last else { return refuse() }
        session = SessionID(name)
        sum.strokes = first > 0 ? first...last : nil
    }

    fileprivate mutating func loss(
        _ loss: inout UndeclaredLosses.Loss, _ sequences: inout ClosedRange<UInt64>
    ) {
        var (station, kind) = (loss.stream.station, loss.stream.kind.rawValue)
        var (reason, first, last) = (
            loss.reason.rawValue, sequences.lowerBound, sequences.upperBound
        )
        self.station(&station)
        kind.code(with: &self)
        reason.code(with: &self)
        varint(&first)
        varint(&last)
        guard let kind = StreamKind(rawValue: kind),
            let reason = GatewayEvent.DropReason(rawValue: reason), first <= last
        else { return refuse() }
        let stream = StreamID(station: station, kind: kind)
        (loss, sequences) = (UndeclaredLosses.Loss(stream: stream, reason: reason), first...last)
    }
}
