import Bests
import Bytes

/// What a week or a season of somebody's rowing comes to: its volume, in all and by day, the load, and the
/// time in power zones on each kind of machine.
package struct SpanTraining: Equatable, Sendable {
    package let length: TrainingSpan.Length
    package let volume: TrainingVolume
    /// Of a week; a season has too many.
    private let days: [TrainingVolume]
    private let load: AthleteLoad
    private let zones: [InZones]

    private struct InZones: Equatable, Sendable {
        let machine: MachineKind
        let zones: PowerZones
        let time: TimeInZone
    }

    package var span: TrainingSpan { volume.span }

    /// Of all in which anything was rowed, in order. A function of a set of sessions, whose results of all
    /// time say where zones lie.
    package static func all(
        of pieces: [PieceTraining], by length: TrainingSpan.Length
    ) -> [SpanTraining] {
        let figures = pieces.map(\.figures)
        let bests = AthleteBests(figures)
        let machines = Set(figures.map(\.machine)).sorted()
        let hours = machines.map { ($0, HourPower.of(bests, on: $0)) }
        let loads = AthleteLoad.all(
            of: pieces, by: Dictionary(uniqueKeysWithValues: hours), length)
        var zones: [TrainingSpan: [InZones]] = [:]
        for machine in machines {
            guard case .success(let own) = PowerZones.of(bests, on: machine) else { continue }
            let rowed = pieces.filter { $0.figures.machine == machine }
            for (span, time) in TimeInZone.all(of: rowed, in: own, by: length) {
                zones[span, default: []].append(
                    InZones(machine: machine, zones: own, time: time))
            }
        }
        let days = length == .week ? TrainingVolume.all(of: figures, by: .day) : []
        return zip(TrainingVolume.all(of: figures, by: length), loads).map { volume, load in
            let first = volume.span.firstDay
            let own = first..<first.advanced(by: 7)
            return SpanTraining(
                length: length, volume: volume,
                days: days.filter { own.contains($0.span.firstDay) }, load: load,
                zones: zones[volume.span] ?? [])
        }
    }

    /// Its members, in an object that is open. Sessions are listed once, since most figures are of all.
    package func write(into json: inout JSONWriter) {
        json.field("by", length.rawValue)
        json.field("from", span.text)
        json.object("volume") { volume.write(into: &$0, listsInputs: false) }
        if !days.isEmpty {
            json.list("days", of: days) { $1.write(into: &$0, listsInputs: false) }
        }
        json.object("load") { load.write(into: &$0, listsInputs: false) }
        json.list("zones", of: zones) { json, one in
            json.field("machine", one.machine.rawValue)
            one.zones.write(into: &json)
            json.object("time_in_zone") { one.time.write(into: &$0, listsInputs: false) }
        }
        json.list("inputs", of: volume.inputs) { json, name in name.write(into: &json) }
    }
}
