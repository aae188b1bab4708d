import Bests

extension WorkPoint {
    /// Mean power by Concept2's formula: W = 2.80 / (seconds per metre)^3. A BikeErg reports twice the
    /// metres of its flywheel, so 1000 m there are as much work as 500 m. 0 without time or distance.
    package func watts(on machine: MachineKind) -> Double {
        guard decimetres > 0, centiseconds > 0 else { return 0 }
        let metres = Double(decimetres) / (machine == .bike ? 20 : 10)
        let slowness = Double(centiseconds) / 100 / metres
        return 2.80 / (slowness * slowness * slowness)
    }
}

extension EventResult {
    /// From its time and distance.
    func watts(on machine: MachineKind) -> Double {
        WorkPoint(centiseconds: centiseconds, decimetres: decimetres).watts(on: machine)
    }

    var seconds: Double { Double(centiseconds) / 100 }

    /// Pace in seconds per 500 m.
    var pace: Double { seconds * 5000 / Double(decimetres) }
}

/// A ranked result as power over a time: the input of the power models.
struct Effort: Equatable {
    let seconds: Double
    let watts: Double
    let figure: EventResult

    /// The best ranked results on a machine, shortest first.
    ///
    /// If a longer result reached more power, the shorter one was not maximal and is omitted. Stretches
    /// within other pieces are never maximal, because the rower went on.
    static func maximal(_ bests: [AthleteBests.Best], on machine: MachineKind) -> [Effort] {
        let results = bests.filter { $0.machine == machine && $0.season == nil }
            .compactMap(\.ranked)
            .map { Effort(seconds: $0.seconds, watts: $0.watts(on: machine), figure: $0) }
            .sorted { ($0.seconds, $0.watts) < ($1.seconds, $1.watts) }
        var most = 0.0
        var maximal: [Effort] = []
        for effort in results.reversed() where effort.watts > most {
            most = effort.watts
            maximal.append(effort)
        }
        return maximal.reversed()
    }
}
