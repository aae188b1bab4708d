import Bests
import Bytes

/// Training summary of a week or a season: volume in total and by day, load, and time in power zones for
/// each kind of machine.
package struct SpanTraining: Equatable, Sendable {
    package let length: TrainingSpan.Length
    package let volume: TrainingVolume
    /// Days of a week; empty for a season.
    private let days: [TrainingVolume]
    private let load: AthleteLoad
    private let zones: [InZones]

    private struct InZones: Equatable, Sendable {
        let machine: MachineKind
        let zones: PowerZones
        let time: TimeInZone
    }

    package var span: TrainingSpan { volume.span }

    /// The summaries of all spans with at least one session, in order. They depend only on the set of
    /// sessions; zones use the results of all time.
    package static func all(
        of pieces: [PieceTraining], by length: TrainingSpan.Length
    ) -> [SpanTraining] {
        let metrics = pieces.map(\.metrics)
        let bests = AthleteBests(metrics)
        let machines = Set(metrics.map(\.machine)).sorted()
        let hours = machines.map { ($0, HourPower.of(bests, on: $0)) }
        let loads = AthleteLoad.all(
            of: pieces, by: Dictionary(uniqueKeysWithValues: hours), length)
        var zones: [TrainingSpan: [InZones]] = [:]
        for machine in machines {
            guard case .success(let own) = PowerZones.of(bests, on: machine) else { continue }
            let onMachine = pieces.filter { $0.metrics.machine == machine }
            for (span, time) in TimeInZone.all(of: onMachine, in: own, by: length) {
                zones[span, default: []].append(
                    InZones(machine: machine, zones: own, time: time))
            }
        }
        let days = length == .week ? TrainingVolume.all(of: metrics, by: .day) : []
        let loadOfSpan = Dictionary(uniqueKeysWithValues: loads.map { ($0.span, $0) })
        return TrainingVolume.all(of: metrics, by: length).compactMap { volume in
            guard let load = loadOfSpan[volume.span] else { return nil }
            let first = volume.span.firstDay
            let own = first..<first.advanced(by: 7)
            return SpanTraining(
                length: length, volume: volume,
                days: days.filter { own.contains($0.span.firstDay) }, load: load,
                zones: zones[volume.span] ?? [])
        }
    }

    /// Writes the members into an open object. The sessions are listed once, since most metrics use all of
    /// them.
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
