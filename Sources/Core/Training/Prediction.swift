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
