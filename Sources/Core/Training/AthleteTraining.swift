import Bests
import Bytes

/// What somebody's sessions come to for their training, on each kind of machine.
///
/// A function of a set of sessions: their order does not matter. Zones, k, critical power and curve rest
/// on the best ranked results of all time; time in zone is of the sessions of a season.
package struct AthleteTraining: Equatable, Sendable {
    /// On one kind of machine.
    package struct OnMachine: Equatable, Sendable {
        package let machine: MachineKind
        package let zones: Told<PowerZones>
        package let times: [InSpan]
        package let heartTimes: [InSpan]
        package let law: Told<PaulsLaw>
        package let predictions: [Prediction]
        package let critical: Told<CriticalPower>
        package let curve: Told<PowerCurve>
        package let hour: Told<HourPower>
        /// How force curves changed.
        package let force: [ForceInSpan]
    }

    /// Time in zone of a day, a week or a season.
    package struct InSpan: Equatable, Sendable {
        package let span: TrainingSpan
        package let time: TimeInZone
    }

    package let heartZones: Told<HeartZones>
    /// On which anything was rowed.
    package let machines: [OnMachine]
    /// On all of them together.
    package let loads: [AthleteLoad]

    /// - Parameter heart: theirs, where they are given.
    package init(
        _ pieces: [PieceTraining], by length: TrainingSpan.Length, in season: Season? = nil,
        heart: HeartLimits? = nil
    ) {
        let heartZones = HeartZones.of(heart)
        self.heartZones = heartZones
        let bests = AthleteBests(pieces.map(\.figures))
        let machines = Set(pieces.map(\.figures.machine)).sorted().map { machine in
            let own = pieces.filter { $0.figures.machine == machine }
            return OnMachine(own, machine, bests, heartZones, by: length, in: season)
        }
        self.machines = machines
        let hours = machines.map { ($0.machine, $0.hour) }
        loads = AthleteLoad.all(
            of: pieces, by: Dictionary(uniqueKeysWithValues: hours), length, in: season)
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.told("heart_zones", heartZones) { $0.write(into: &$1) }
        json.list("machines", of: machines) { json, machine in machine.write(into: &json) }
        json.list("loads", of: loads) { json, load in load.write(into: &json) }
    }
}

extension AthleteTraining.OnMachine {
    fileprivate init(
        _ pieces: [PieceTraining], _ machine: MachineKind, _ all: AthleteBests,
        _ heart: Told<HeartZones>, by length: TrainingSpan.Length, in season: Season?
    ) {
        let bests = all.bests
        self.machine = machine
        hour = HourPower.of(all, on: machine)
        force = ForceInSpan.all(of: pieces, length, in: season)
        zones = PowerZones.of(bests, on: machine)
        func times<Zones: TrainingZones>(in zones: Told<Zones>) -> [AthleteTraining.InSpan] {
            guard case .success(let zones) = zones else { return [] }
            return TimeInZone.all(of: pieces, in: zones, by: length, in: season)
                .map { AthleteTraining.InSpan(span: $0.span, time: $0.time) }
        }
        (self.times, heartTimes) = (times(in: zones), times(in: heart))
        let results = RankedDistance.all(bests, on: machine)
        law = PaulsLaw.of(results, on: machine)
        let ranked = bests.filter { $0.machine == machine && $0.ranked != nil }.map(\.event)
        if case .success(let law) = law {
            predictions = Prediction.all(by: law, from: results, besides: Set(ranked))
        } else {
            predictions = []
        }
        let efforts = Effort.maximal(bests, on: machine)
        critical = CriticalPower.of(efforts)
        curve = PowerCurve.of(efforts)
    }

    fileprivate func write(into json: inout JSONWriter) {
        json.field("machine", machine.rawValue)
        json.told("zones", zones) { $0.write(into: &$1) }
        for (name, times): (StaticString, [AthleteTraining.InSpan]) in [
            ("time_in_zone", times), ("time_in_heart_zone", heartTimes),
        ] {
            json.list(name, of: times) { json, one in
                json.field("from", one.span.text)
                one.time.write(into: &json)
            }
        }
        json.told("pauls_law", law) { $0.write(into: &$1) }
        json.list("predictions", of: predictions) { json, one in one.write(into: &json) }
        json.told("critical_power", critical) { $0.write(into: &$1) }
        json.told("power_curve", curve) { $0.write(into: &$1) }
        json.told("hour_power", hour) { $0.write(into: &$1) }
        json.list("force", of: force) { json, one in
            json.field("from", one.span.text)
            one.features.write(one.basis, into: &json)
        }
    }
}
