import Bests
import Bytes

/// Paul's law: each doubling of the distance costs `k` seconds of pace.
package struct PaulsLaw: Equatable, Sendable {
    package let basis: FigureBasis
    /// Seconds for 500 m.
    package let k: Double
    /// Why there is no k fitted to the athlete's results; nil if there is one.
    package let missingFit: MissingReason?

    /// Values of k outside this range indicate a bad result, not the athlete's endurance.
    package static let accepted = 0.5...15.0
    /// Paul Smith's value, the mean of many rowers.
    package static let usual = 5.0
    /// Metres. Shorter distances take a minute or less; the law does not describe anaerobic power.
    package static let leastMetres = 500.0
    /// Maximum number of doublings between a result and a prediction from it.
    package static let farthest = 3.0

    /// Fits k to all pairs of results by least squares through the origin: k = sum(x y) / sum(x^2).
    ///
    /// - Parameter results: ranked results over distances, shortest first.
    static func of(_ results: [RankedDistance], on machine: MachineKind) -> Result<PaulsLaw, MissingReason> {
        var (products, squares) = (0.0, 0.0)
        for (index, short) in results.enumerated() {
            for long in results[(index + 1)...] {
                let doublings = Logarithm.binary(long.metres / short.metres)
                products += doublings * (long.figure.pace - short.figure.pace)
                squares += doublings * doublings
            }
        }
        var reason = MissingReason(.tooFewResults, has: Double(results.count), needs: 2)
        if squares > 0 {
            let k = products / squares
            if accepted.contains(k) { return .success(PaulsLaw(k, of: results)) }
            reason = MissingReason(.poorFit)
        }
        // No such rule of thumb is known for a BikeErg.
        return machine == .bike ? .failure(reason) : .success(PaulsLaw(withoutFit: reason))
    }

    private init(_ k: Double, of results: [RankedDistance]) {
        self.k = k
        missingFit = nil
        basis = FigureBasis(
            .estimated,
            "least squares of pace2 - pace1 = k log2(d2 / d1) over all pairs of results",
            of: results.map(\.figure))
    }

    private init(withoutFit reason: MissingReason) {
        (k, missingFit) = (Self.usual, reason)
        basis = FigureBasis(.ruleOfThumb, "5 s for 500 m with each doubling", of: [], on: 0)
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("kind", basis.kind.rawValue)
        json.field("formula", basis.formula)
        json.decimal("k_s_per_500m", k, places: 2)
        if !basis.inputs.isEmpty { json.field("at_ms", basis.date) }
        json.list("inputs", of: basis.inputs) { json, name in name.write(into: &json) }
        if let missingFit { json.missing("own_missing", missingFit) }
    }
}

/// A ranked result over a distance.
struct RankedDistance: Equatable {
    let metres: Double
    let figure: EventResult

    /// The best ranked results of all time on a machine, shortest first.
    static func all(_ bests: [AthleteBests.Best], on machine: MachineKind) -> [RankedDistance] {
        bests.compactMap { best in
            guard best.machine == machine, best.season == nil, let figure = best.ranked,
                case .metres(let metres) = best.event, Double(metres) >= PaulsLaw.leastMetres
            else { return nil }
            return RankedDistance(metres: Double(metres), figure: figure)
        }
        .sorted { $0.metres < $1.metres }
    }
}
