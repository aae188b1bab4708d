import Bests
import Bytes

/// Training metrics of an athlete's sessions, for each kind of machine.
///
/// The value depends only on the set of sessions, not on their order. Zones, k, critical power and power
/// curve use the best ranked results of all time; time in zone covers the sessions of a season.
package struct AthleteTraining: Equatable, Sendable {
    /// The metrics on one kind of machine.
    package struct OnMachine: Equatable, Sendable {
        package let machine: MachineKind
        package let zones: Result<PowerZones, MissingReason>
        package let times: [InSpan]
        package let heartTimes: [InSpan]
        package let law: Result<PaulsLaw, MissingReason>
        package let predictions: [Prediction]
        package let critical: Result<CriticalPower, MissingReason>
        package let curve: Result<PowerCurve, MissingReason>
        package let hour: Result<HourPower, MissingReason>
        /// Force curve features of each span.
        package let force: [ForceInSpan]
    }

    /// Time in zone of a day, a week or a season.
    package struct InSpan: Equatable, Sendable {
        package let span: TrainingSpan
        package let time: TimeInZone
    }

    package let heartZones: Result<HeartZones, MissingReason>
    /// Machines with at least one session.
    package let machines: [OnMachine]
    /// Over all machines.
    package let loads: [AthleteLoad]

    /// - Parameter heart: the athlete's heart rate limits, if known.
    package init(
        _ pieces: [PieceTraining], by length: TrainingSpan.Length, in season: Season? = nil,
        heart: HeartLimits? = nil
    ) {
        let heartZones = HeartZones.of(heart)
        self.heartZones = heartZones
        let bests = AthleteBests(pieces.map(\.metrics))
        let machines = Set(pieces.map(\.metrics.machine)).sorted().map { machine in
            let own = pieces.filter { $0.metrics.machine == machine }
            return OnMachine(own, machine, bests, heartZones, by: length, in: season)
        }
        self.machines = machines
        let hours = machines.map { ($0.machine, $0.hour) }
        loads = AthleteLoad.all(
            of: pieces, by: Dictionary(uniqueKeysWithValues: hours), length, in: season)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.result("heart_zones", heartZones) { $0.write(into: &$1) }
        json.list("machines", of: machines) { json, machine in machine.write(into: &json) }
        json.list("loads", of: loads) { json, load in load.write(into: &json) }
    }
}

extension AthleteTraining.OnMachine {
    fileprivate init(
        _ pieces: [PieceTraining], _ machine: MachineKind, _ all: AthleteBests,
        _ heart: Result<HeartZones, MissingReason>, by length: TrainingSpan.Length, in season: Season?
    ) {
        let bests = all.bests
        self.machine = machine
        hour = HourPower.of(all, on: machine)
        force = ForceInSpan.all(of: pieces, length, in: season)
        zones = PowerZones.of(bests, on: machine)
        func times<Zones: TrainingZones>(in zones: Result<Zones, MissingReason>) -> [AthleteTraining.InSpan] {
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
        json.result("zones", zones) { $0.write(into: &$1) }
        for (name, times): (StaticString, [AthleteTraining.InSpan]) in [
            ("time_in_zone", times), ("time_in_heart_zone", heartTimes),
        ] {
            json.list(name, of: times) { json, one in
                json.field("from", one.span.text)
                one.time.write(into: &json)
            }
        }
        json.result("pauls_law", law) { $0.write(into: &$1) }
        json.list("predictions", of: predictions) { json, one in one.write(into: &json) }
        json.result("critical_power", critical) { $0.write(into: &$1) }
        json.result("power_curve", curve) { $0.write(into: &$1) }
        json.result("hour_power", hour) { $0.write(into: &$1) }
        json.list("force", of: force) { json, one in
            json.field("from", one.span.text)
            one.features.write(one.basis, into: &json)
        }
    }
}
