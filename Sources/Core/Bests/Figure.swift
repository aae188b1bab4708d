import Bytes
import Timeline

/// What a number that is shown can claim.
package enum FigureKind: String, CaseIterable, Sendable {
    /// A machine said so.
    case measured
    /// It follows from what was measured, by arithmetic alone.
    case computed
    /// A model was fitted.
    case estimated
    /// Experience of people.
    case ruleOfThumb = "rule_of_thumb"
}

/// So much in so much time, with where it is from.
package struct RowedFigure: Equatable, Sendable {
    package var kind: FigureKind
    /// How it comes about, in words and signs.
    package var formula: String
    /// Hundredths of a second, and tenths of a metre.
    package var centiseconds: Int64
    package var decimetres: Int64
    /// Hundredths of a second into its only session; nil of all of it.
    package var from: Int64?
    /// What it rests on, in order.
    package var inputs: [PieceName]
    /// Unix milliseconds: when the session began.
    package var date: Int64

    package init(
        kind: FigureKind, formula: String, centiseconds: Int64, decimetres: Int64,
        from: Int64? = nil, inputs: [PieceName], date: Int64
    ) {
        (self.kind, self.formula) = (kind, formula)
        (self.centiseconds, self.decimetres, self.from) = (centiseconds, decimetres, from)
        (self.inputs, self.date) = (inputs, date)
    }

    /// Whether it is the better one over an event; of two that are alike, neither.
    func isFaster(than other: RowedFigure) -> Bool {
        centiseconds * other.decimetres < other.centiseconds * decimetres
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.field("kind", kind.rawValue)
        json.field("formula", formula)
        json.field("time_s", centiseconds, places: 2)
        json.field("distance_m", decimetres, places: 1)
        if decimetres > 0 {
            let pace = (Double(centiseconds) * 5000 / Double(decimetres)).rounded()
            json.field("pace_s_per_500m", Int64(pace), places: 2)
        }
        json.field("from_s", from, places: 2)
        json.field("at_ms", date)
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }
}

extension PieceName {
    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("session_id", session)
    }
}
