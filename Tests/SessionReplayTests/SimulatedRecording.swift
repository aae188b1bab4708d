import PM5Codec
import PM5Simulator
import Rowing

/// A simulated piece as a recorded connection, with its truth.
struct SimulatedRecording {
    private(set) var lines: [UInt8] = []
    private(set) var truth: [TruthRecord] = []

    /// Rows `workout` to its end and ten seconds more, every characteristic subscribed.
    init(_ workout: String, seed: UInt64, generation: MonitorGeneration = .new) throws {
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: generation),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
        erg.setConnected(true)
        for id in generation.notifying where id != .multiplexed { erg.setSubscribed(true, to: id) }
        var end = 3 * 3600 * 1000
        var isOver = false
        while erg.now < end {
            if erg.isDone, !isOver {
                isOver = true
                end = erg.now + 10_000
            }
            for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                switch output {
                case .notification(let id, let bytes): append(id, bytes, at: erg.now)
                case .truth(let record): truth.append(record)
                }
            }
        }
    }

    private mutating func append(_ id: CharacteristicID, _ bytes: [UInt8], at milliseconds: Int) {
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let line =
            #"{"t_ms":\#(milliseconds),"dir":"rx","characteristic":"\#(id)","hex":"\#(hex)"}"#
        lines += Array((line + "\n").utf8)
    }

    /// The records of a kind, their numbers by name.
    func records(_ kind: TruthRecord.Kind) -> [[String: Double]] {
        truth.filter { $0.kind == kind }.map { record in
            record.fields.reduce(into: [:]) { numbers, field in
                guard case .number(let count, let decimals) = field.value else { return }
                var unit = 1.0
                for _ in 0..<decimals { unit *= 10 }
                numbers[field.name] = Double(count) / unit
            }
        }
    }
}
