import Bests
import Bytes

/// The power that somebody can keep up for long, and the work that they can do above it.
///
/// Work of maximal efforts of 2 to 20 min lies on a line over their time: W = W' + CP t, by least
/// squares (Monod and Scherrer 1965; on rowing ergs Cheng 2012).
package struct CriticalPower: Equatable, Sendable {
    package let basis: FigureBasis
    /// CP.
    package let watts: Double
    /// W'.
    package let joules: Double

    /// Seconds: shorter ones do not use up W', longer ones are limited by more than it.
    package static let durations = 120.0...1200.0
    package static let leastEfforts = 3
    /// Longest to shortest. A result of 3:20, 7:00 and 10:00 that is 1 % off moves CP by 1.6 % at most,
    /// as it does with 18:30 in place of 10:00 (1.4 %); of 3:20, 4:00 and 7:00, a ratio of 2, by 2.4 %.
    package static let leastRatio = 3.0

    /// - Parameter efforts: maximal ones, the shortest first.
    static func of(_ efforts: [Effort]) -> Told<CriticalPower> {
        let used = efforts.filter { durations.contains($0.seconds) }
        guard used.count >= leastEfforts, let first = used.first, let last = used.last else {
            return .failure(
                Lack(.tooFewResults, has: Double(used.count), needs: Double(leastEfforts)))
        }
        let ratio = last.seconds / first.seconds
        guard ratio >= leastRatio else {
            return .failure(Lack(.tooNarrow, has: ratio, needs: leastRatio))
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
        guard watts > 0, joules > 0 else { return .failure(Lack(.poorFit)) }
        let basis = FigureBasis(
            .estimated, "least squares of W = W' + CP t over ranked results of 2 to 20 min",
            of: used.map(\.figure))
        return .success(CriticalPower(basis: basis, watts: watts, joules: joules))
    }

    /// - Parameter bests: of who rowed; nil where nobody was assigned.
    package static func of(_ bests: AthleteBests?, on machine: MachineKind) -> Told<CriticalPower> {
        bests.map { of(Effort.maximal($0.bests, on: machine)) } ?? .failure(Lack(.noAthlete))
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("critical_power_w", watts, places: 1)
        json.decimal("w_prime_j", joules, places: 0)
    }
}
