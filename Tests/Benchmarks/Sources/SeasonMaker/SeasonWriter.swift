import Contract
import DemoClub
import LogbookStores
import PM5Simulator
import Rowing
import Timeline

/// Turns templates into the records of a season: 64 ergs of eight gateways, all rowing at the
/// same time, so that their records are interleaved as in a real boathouse.
struct SeasonWriter {
    static let (gateways, ergs, athletes) = (8, 8, 96)
    private static let epoch = "01J0EP0CH000000000000000AA"
    /// Records of a commit.
    private static let group = 5000

    private struct Place: Hashable {
        let gateway: GatewayID
        let station: StationID
    }

    private let store: any LogbookStore
    private let places: [Place]
    private var generator: SeededGenerator
    private var encoder = RecordEncoder()
    private var next: [StoredStream: UInt64] = [:]
    private var waiting: [ValidatedRecord] = []
    /// Whether the records of the outing are stored already.
    private var isStored = false
    private var states: [SessionName: SessionState] = [:]
    /// Strokes that an earlier call has stored. Their outings are only counted.
    private let storedStrokes: Int
    private(set) var (records, strokes, sessions, bodies) = (0, 0, 0, 0)

    /// - Parameter store: empty, or filled by an earlier call with the same seed, which may have been killed.
    init(_ store: any LogbookStore, seed: UInt64) throws {
        self.store = store
        storedStrokes = try store.streams().filter { $0.stream.stream.kind == .stroke }.reduce(0) {
            $0 + Int($1.extent.received.count)
        }
        generator = SeededGenerator(seed: seed)
        places = (1...Self.gateways).flatMap { gateway in
            (1...Self.ergs).map { erg in
                Place(
                    gateway: GatewayID("house-\(gateway)")!, station: StationID("erg-\(erg)")!)
            }
        }
    }

    /// An outing: one piece on each erg, which begin within a minute. The ergs of a gateway row the same workout.
    ///
    /// - Parameter templates: the pieces of each workout.
    mutating func row(_ templates: [[SimulatedPiece]], at begin: Int64) throws {
        var workouts: [GatewayID: [SimulatedPiece]] = [:]
        var outing: [(template: SimulatedPiece, begin: Int64, athlete: String, place: Place)] = []
        for place in places {
            let workout =
                workouts[place.gateway] ?? templates[generator.integer(0...templates.count - 1)]
            workouts[place.gateway] = workout
            let template = workout[generator.integer(0...workout.count - 1)]
            let athlete = "a-\(generator.integer(1...Self.athletes))"
            outing.append((template, begin + Int64(generator.integer(0...60_000)), athlete, place))
        }
        isStored = strokes + outing.reduce(0) { $0 + $1.template.strokes } <= storedStrokes
        for piece in outing { try add(piece.template, at: piece.begin, by: piece.athlete, piece.place) }
        if isStored {
            states = [:]
            return
        }
        waiting.sort { $0.unixMilliseconds < $1.unixMilliseconds }
        for start in stride(from: 0, to: waiting.count, by: Self.group) {
            let end = min(start + Self.group, waiting.count)
            var batch = StoreBatch(records: Array(waiting[start..<end]), now: begin)
            if end == waiting.count { batch.states = states }
            records += try store.commit(batch).added
        }
        bodies += waiting.reduce(0) { $0 + $1.stored.count }
        (waiting, states) = ([], [:])
    }

    private mutating func add(
        _ template: SimulatedPiece, at begin: Int64, by athlete: String, _ place: Place
    ) throws {
        let session = SessionID(identifier(at: begin).description)
        let clock = WallClock(
            bootID: "5b1f", unixMillisecondsAtBoot: begin - Int64(SimulatedPiece.begin),
            isSynchronized: true)
        let context = RecordContext(athlete: athlete, monitorSerial: "430000001", clock: clock)
        let stream = StoredStream(
            gateway: place.gateway, epoch: Self.epoch,
            stream: StreamID(station: place.station, kind: .stroke))
        let first = next[stream, default: 1]
        var counts: [StreamKind: Int] = [:]
        var last = BootInstant(nanoseconds: 0)
        func count(_ kind: StreamKind, _ at: BootInstant) {
            counts[kind, default: 0] += 1
            last = at
        }
        for event in template.events {
            switch event {
            case .session(var edge):
                edge.session = session
                try add(edge, at: edge.at, place, context)
                last = edge.at
            case .stroke(var stroke):
                stroke.session = session
                try add(stroke, at: stroke.at, place, context)
                count(.stroke, stroke.at)
            case .force(var force):
                force.session = session
                try add(force, at: force.at, place, context)
                count(.force, force.at)
            case .split(var split):
                split.session = session
                try add(split, at: split.at, place, context)
                count(.split, split.at)
            case .summary(var summary):
                summary.session = session
                try add(summary, at: summary.at, place, context)
                last = summary.at
            case .gap(var gap):
                gap.session = session
                try add(gap, at: gap.at, place, context)
                count(.gap, gap.at)
            case .state: break
            }
        }
        // Its digest is arbitrary, because the sessions are assumed to be verified.
        let manifest = Manifest(
            session: session,
            strokes: template.strokes > 0
                ? first...first + UInt64(template.strokes) - 1 : nil,
            strokeCount: template.strokes, strokeDigest: String(repeating: "0", count: 64),
            forceCount: counts[.force] ?? 0, splitCount: counts[.split] ?? 0,
            gapCount: counts[.gap] ?? 0)
        try add(manifest, at: last, place, context)
        states[SessionName(gateway: place.gateway, session: session.text)] = .verified
        strokes += template.strokes
        sessions += 1
    }

    private mutating func add(
        _ body: some RecordBody, at instant: BootInstant, _ place: Place, _ context: RecordContext
    ) throws {
        let stream = StreamID(station: place.station, kind: type(of: body).recordKind)
        let stored = StoredStream(gateway: place.gateway, epoch: Self.epoch, stream: stream)
        let sequence = next[stored, default: 1]
        next[stored] = sequence + 1
        if isStored { return }
        let head = RecordHead(
            gateway: place.gateway, stream: stream, epoch: Self.epoch, sequence: sequence,
            time: context.clock.stamp(at: instant))
        let bytes = encoder.encode(body, head: head, context: context)
        waiting.append(
            try ValidatedRecord(
                RecordEncoder.published(bytes, historical: false), of: stream, from: place.gateway))
    }

    private mutating func identifier(at unixMilliseconds: Int64) -> ULID {
        let time = UInt64(unixMilliseconds)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * UInt64($0))) }
        for _ in 0..<10 { bytes.append(UInt8(generator.integer(0...255))) }
        guard let id = ULID(bytes: bytes) else { preconditionFailure("it has 16 bytes") }
        return id
    }
}
