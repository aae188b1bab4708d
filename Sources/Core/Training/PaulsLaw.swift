import Bests
import Bytes

/// Paul's law: each doubling of the distance costs `k` seconds of pace.
package struct PaulsLaw: Equatable, Sendable {
    package let basis: FigureBasis
    /// Seconds for 500 m.
    package let k: Double
    /// Why it is not somebody's own; nil where it is.
    package let lack: Lack?

    /// An own k outside of this says more of one bad result than of somebody's endurance.
    package static let accepted = 0.5...15.0
    /// Paul Smith's, of many rowers.
    package static let usual = 5.0
    /// Metres: on shorter ones, a minute and less, power rests on stores that the law knows nothing of.
    package static let leastMetres = 500.0
    /// Doublings between a result and what is predicted from it.
    package static let farthest = 3.0

    /// The pairs' least squares through the origin: k = sum(x y) / sum(x^2).
    ///
    /// - Parameter results: ranked ones over distances, the shortest first.
    static func of(_ results: [RankedDistance], on machine: MachineKind) -> Told<PaulsLaw> {
        var (products, squares) = (0.0, 0.0)
        for (index, short) in results.enumerated() {
            for long in results[(index + 1)...] {
                let doublings = Logarithm.binary(long.metres / short.metres)
                products += doublings * (long.figure.pace - short.figure.pace)
                squares += doublings * doublings
            }
        }
        var lack = Lack(.tooFewResults, has: Double(results.count), needs: 2)
        if squares > 0 {
            let k = products / squares
            if accepted.contains(k) { return .success(PaulsLaw(k, of: results)) }
            lack = Lack(.poorFit)
        }
        // On a BikeErg nobody has told of such a rule.
        return machine == .bike ? .failure(lack) : .success(PaulsLaw(insteadOfOwn: lack))
    }

    private init(_ k: Double, of results: [RankedDistance]) {
        self.k = k
        lack = nil
        basis = FigureBasis(
            .estimated,
            "least squares of pace2 - pace1 = k log2(d2 / d1) over all pairs of results",
            of: results.map(\.figure))
    }

    private init(insteadOfOwn lack: Lack) {
        (k, self.lack) = (Self.usual, lack)
        basis = FigureBasis(.ruleOfThumb, "5 s for 500 m with each doubling", of: [], on: 0)
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        json.field("kind", basis.kind.rawValue)
        json.field("formula", basis.formula)
        json.decimal("k_s_per_500m", k, places: 2)
        if !basis.inputs.isEmpty { json.field("at_ms", basis.date) }
        json.list("inputs", of: basis.inputs) { json, name in name.write(into: &json) }
        if let lack { json.lack("own_missing", lack) }
    }
}

/// A ranked result over a distance.
struct RankedDistance: Equatable {
    let metres: Double
    let figure: RowedFigure

    /// Somebody's best ones of all time on a machine, the shortest first.
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
