import Bytes
import Timeline

/// How a shown number was obtained, and so how reliable it is.
package enum FigureKind: String, CaseIterable, Sendable {
    /// Measured by a machine.
    case measured
    /// Computed from measured values by arithmetic alone.
    case computed
    /// Taken from a fitted model.
    case estimated
    /// A rule of thumb.
    case ruleOfThumb = "rule_of_thumb"
}

/// A distance and the time for it, with the source of both.
package struct EventResult: Equatable, Sendable {
    package var kind: FigureKind
    /// The formula, in words and signs.
    package var formula: String
    /// Hundredths of a second, and tenths of a metre.
    package var centiseconds: Int64
    package var decimetres: Int64
    /// Start within the only input session, in hundredths of a second; nil if it covers the whole session.
    package var from: Int64?
    /// Sessions that it is derived from, in order.
    package var inputs: [PieceName]
    /// Unix milliseconds: the start of the session.
    package var date: Int64

    package init(
        kind: FigureKind, formula: String, centiseconds: Int64, decimetres: Int64,
        from: Int64? = nil, inputs: [PieceName], date: Int64
    ) {
        (self.kind, self.formula) = (kind, formula)
        (self.centiseconds, self.decimetres, self.from) = (centiseconds, decimetres, from)
        (self.inputs, self.date) = (inputs, date)
    }

    /// Whether this result is the faster one over an event; false if both are equally fast.
    func isFaster(than other: EventResult) -> Bool {
        centiseconds * other.decimetres < other.centiseconds * decimetres
    }

    /// Writes the members into an open object.
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
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("session_id", session)
    }
}
