import Bests
import Bytes

/// A predicted result over an event without a ranked result.
package struct Prediction: Equatable, Sendable {
    package let event: RankedEvent
    /// As reliable as the law's k.
    package let figure: EventResult

    /// The predictions for all events within reach of a result.
    static func all(
        by law: PaulsLaw, from results: [RankedDistance], besides ranked: Set<RankedEvent>
    ) -> [Prediction] {
        RankedEvent.all.filter { !ranked.contains($0) }.compactMap { event in
            guard let metres = metres(of: event, by: law, from: results),
                let base = nearest(to: metres, in: results)
            else { return nil }
            return Prediction(event, metres, by: law, from: base)
        }
    }

    private init(
        _ event: RankedEvent, _ metres: Double, by law: PaulsLaw, from base: RankedDistance
    ) {
        self.event = event
        let length = Int(base.metres)
        figure = EventResult(
            kind: law.basis.kind,
            formula: "pace of the ranked \(length) m + k log2(d / \(length) m)",
            centiseconds: Int64((law.seconds(over: metres, from: base) * 100).rounded()),
            decimetres: Int64((metres * 10).rounded()),
            inputs: Set(law.basis.inputs + base.figure.inputs).sorted(),
            date: max(law.basis.date, base.figure.date))
    }

    /// Returns the predicted distance of an event; nil if no result is near.
    private static func metres(
        of event: RankedEvent, by law: PaulsLaw, from results: [RankedDistance]
    ) -> Double? {
        switch event {
        case .metres(let metres): return Double(metres)
        case .seconds(let seconds):
            // A longer distance always takes longer, so bisection finds it.
            guard
                let base = results.min(by: {
                    abs($0.figure.seconds - Double(seconds))
                        < abs($1.figure.seconds - Double(seconds))
                })
            else { return nil }
            var (low, high) = (PaulsLaw.leastMetres, 100_000.0)
            for _ in 0..<50 {
                let middle = (low + high) / 2
                let isTooLong = law.seconds(over: middle, from: base) > Double(seconds)
                (low, high) = isTooLong ? (low, middle) : (middle, high)
            }
            return low > PaulsLaw.leastMetres ? low : nil
        }
    }

    /// Returns the result with the fewest doublings, the longer one of two; nil if all are too far.
    private static func nearest(
        to metres: Double, in results: [RankedDistance]
    ) -> RankedDistance? {
        func doublings(_ result: RankedDistance) -> Double {
            abs(Logarithm.binary(metres / result.metres))
        }
        let nearest = results.reversed().min { doublings($0) < doublings($1) }
        guard let nearest, metres >= PaulsLaw.leastMetres,
            doublings(nearest) <= PaulsLaw.farthest
        else { return nil }
        return nearest
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("event", event.wireName)
        event.write(into: &json)
        json.object("figure") { figure.write(into: &$0) }
    }
}

extension PaulsLaw {
    /// Predicts the time over a distance from a result over another.
    fileprivate func seconds(over metres: Double, from base: RankedDistance) -> Double {
        metres / 500 * (base.figure.pace + k * Logarithm.binary(metres / base.metres))
    }
}

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
