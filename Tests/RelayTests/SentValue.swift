import PM5Codec

@testable import PM5Simulator

/// A notification of the simulated monitor.
struct SentValue: Equatable {
    let id: CharacteristicID
    let bytes: [UInt8]

    /// What a monitor sends in a workout, from its start for so many milliseconds, to a client with these
    /// subscriptions.
    static func all(
        in workout: String, lasting milliseconds: Int, to subscriptions: [CharacteristicID],
        _ generation: MonitorGeneration
    ) throws -> [Self] {
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: generation),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: 1)
        erg.setConnected(true)
        for id in subscriptions { erg.setSubscribed(true, to: id) }
        var values: [Self] = []
        while erg.now < milliseconds {
            for output in erg.step(to: min(erg.nextMilliseconds, milliseconds)) {
                if case .notification(let id, let bytes) = output {
                    values.append(Self(id: id, bytes: bytes))
                }
            }
        }
        return values
    }
}
