import Bests

extension RowedPoint {
    /// Mean power by Concept2's formula: W = 2.80 / (seconds a metre)^3. A BikeErg's flywheel is told as
    /// twice the metres, so that 1000 m there are as much work as 500 m. 0 of nothing.
    package func watts(on machine: MachineKind) -> Double {
        guard decimetres > 0, centiseconds > 0 else { return 0 }
        let metres = Double(decimetres) / (machine == .bike ? 20 : 10)
        let slowness = Double(centiseconds) / 100 / metres
        return 2.80 / (slowness * slowness * slowness)
    }
}

extension RowedFigure {
    /// Of its time and distance.
    func watts(on machine: MachineKind) -> Double {
        RowedPoint(centiseconds: centiseconds, decimetres: decimetres).watts(on: machine)
    }

    var seconds: Double { Double(centiseconds) / 100 }

    /// Seconds for 500 m.
    var pace: Double { seconds * 5000 / Double(decimetres) }
}

/// A ranked result as power over a time: what models of power are fitted to.
struct Effort: Equatable {
    let seconds: Double
    let watts: Double
    let figure: RowedFigure

    /// Somebody's best ranked results on a machine, the shortest first.
    ///
    /// One whose power a longer one reaches was not all that they had, and is left out. Stretches
    /// within other pieces are not asked: who goes on rowing has not given all.
    static func maximal(_ bests: [AthleteBests.Best], on machine: MachineKind) -> [Effort] {
        let results = bests.filter { $0.machine == machine && $0.season == nil }
            .compactMap(\.ranked)
            .map { Effort(seconds: $0.seconds, watts: $0.watts(on: machine), figure: $0) }
            .sorted { ($0.seconds, $0.watts) < ($1.seconds, $1.watts) }
        var most = 0.0
        var kept: [Effort] = []
        for effort in results.reversed() where effort.watts > most {
            most = effort.watts
            kept.append(effort)
        }
        return kept.reversed()
    }
}
