import Bytes
import PM5Codec
import Testing

@testable import PM5Simulator

/// An erg stepped through a piece with a client that subscribes to everything at once.
struct ErgRun {
    struct Sent {
        var milliseconds: Int
        var characteristic: CharacteristicID
        var bytes: [UInt8]
        var value: Notification
    }

    var erg: SimulatedErg
    var sent: [Sent] = []
    var truth: [TruthRecord] = []

    init(
        _ workout: String, seed: UInt64 = 1, generation: MonitorGeneration = .new,
        machine: SimulatedMachine = .row, repeats: Bool = false,
        subscribe: [CharacteristicID]? = nil
    ) throws {
        erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: generation, machine: machine),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed, repeats: repeats)
        erg.setConnected(true)
        for id in subscribe ?? generation.notifying.filter({ $0 != .multiplexed }) {
            erg.setSubscribed(true, to: id)
        }
    }

    /// Advances time event by event, and stores the decoded notifications.
    mutating func run(forSeconds seconds: Int) throws {
        let end = erg.now + seconds * 1000
        while erg.now < end {
            for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                switch output {
                case .notification(.csafeOut, _): break
                case .notification(let id, let bytes):
                    let value = try bytes.withUnsafeBytes { pointer in
                        try Notification(characteristic: id, bytes: pointer)
                    }
                    sent.append(
                        Sent(
                            milliseconds: erg.now, characteristic: id, bytes: bytes, value: value))
                case .truth(let record): truth.append(record)
                }
            }
        }
    }

    /// The workout states in the order the status showed them.
    var states: [Int] {
        var states: [Int] = []
        for case .generalStatus(let status) in sent.map(\.value) {
            let state = Int(status.workoutState.rawValue)
            if states.last != state { states.append(state) }
        }
        return states
    }

    var statuses: [GeneralStatus] {
        sent.compactMap { if case .generalStatus(let status) = $0.value { status } else { nil } }
    }

    var strokes: [StrokeData] {
        sent.compactMap { if case .strokeData(let stroke) = $0.value { stroke } else { nil } }
    }

    var splits: [SplitData] {
        sent.compactMap { if case .splitData(let split) = $0.value { split } else { nil } }
    }

    var summaries: [WorkoutSummary] {
        sent.compactMap { if case .workoutSummary(let summary) = $0.value { summary } else { nil } }
    }

    /// When the first value of a characteristic was sent, and the bytes.
    func first(_ id: CharacteristicID) -> Sent? { sent.first { $0.characteristic == id } }

    func records(_ kind: TruthRecord.Kind) -> [TruthRecord] { truth.filter { $0.kind == kind } }
}

extension TruthRecord {
    /// A number as its wire integer and decimals, as text.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value.json }
}

/// Spaces between the digits are allowed.
func bytes(ofHex text: String) throws -> [UInt8] {
    try #require(JSONObject(line: #"{"hex":"\#(text.filter { $0 != " " })"}"#)?.bytes("hex"))
}
