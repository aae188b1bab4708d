import Bests
import Bytes

/// The power that an athlete can sustain, and the work that they can do above it.
///
/// The work of maximal efforts of 2 to 20 min is linear in their time: W = W' + CP t, by least squares
/// (Monod and Scherrer 1965; on rowing ergs Cheng 2012).
package struct CriticalPower: Equatable, Sendable {
    package let basis: FigureBasis
    /// Critical power, CP.
    package let watts: Double
    /// Anaerobic reserve, W'.
    package let joules: Double

    /// Seconds. Shorter efforts do not use up W'; longer ones have other limits.
    package static let durations = 120.0...1200.0
    package static let leastEfforts = 3
    /// Ratio of the longest to the shortest effort. With results of 3:20, 7:00 and 10:00, an error of 1 %
    /// in one moves CP by 1.6 % at most; with 18:30 instead of 10:00 by 1.4 %; with 3:20, 4:00 and 7:00, a
    /// ratio of 2, by 2.4 %.
    package static let leastRatio = 3.0

    /// - Parameter efforts: maximal efforts, shortest first.
    static func of(_ efforts: [Effort]) -> Result<CriticalPower, MissingReason> {
        let used = efforts.filter { durations.contains($0.seconds) }
        guard used.count >= leastEfforts, let first = used.first, let last = used.last else {
            return .failure(
                MissingReason(.tooFewResults, has: Double(used.count), needs: Double(leastEfforts)))
        }
        let ratio = last.seconds / first.seconds
        guard ratio >= leastRatio else {
            return .failure(MissingReason(.tooNarrow, has: ratio, needs: leastRatio))
        }
        let mean = used.map(\.seconds).reduce(0, +) / Double(used.count)
        let work = used.map { $0.watts * $0.seconds }.reduce(0, +) / Double(used.count)
        var (products, squares) = (0.0, 0.0)
        for effort in used {
            products += (effort.seconds - mean) * (effort.watts * effort.seconds - work)
            squares += (effort.seconds - mean) * (effort.seconds - mean)
        }
        let watts = products / squares
        let joules = work - watts * mean
        guard watts > 0, joules > 0 else { return .failure(MissingReason(.poorFit)) }
        let basis = FigureBasis(
            .estimated, "least squares of W = W' + CP t over ranked results of 2 to 20 min",
            of: used.map(\.figure))
        return .success(CriticalPower(basis: basis, watts: watts, joules: joules))
    }

    /// - Parameter bests: the rower's bests; nil if no athlete was assigned.
    package static func of(
        _ bests: AthleteBests?, on machine: MachineKind
    ) -> Result<CriticalPower, MissingReason> {
        bests.map { of(Effort.maximal($0.bests, on: machine)) } ?? .failure(MissingReason(.noAthlete))
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("critical_power_w", watts, places: 1)
        json.decimal("w_prime_j", joules, places: 0)
    }
}

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
