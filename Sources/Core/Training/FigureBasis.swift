import Bests
import Bytes

/// The source of a training figure: its kind, its formula and its input sessions.
package struct FigureBasis: Equatable, Sendable {
    package var kind: FigureKind
    /// The formula, in words and signs.
    package var formula: String
    /// Sessions, sorted, each once.
    package var inputs: [PieceName]
    /// Unix milliseconds: the start of the latest input session; for heart rate zones, when the heart rate limits
    /// were entered; 0 if unknown.
    package var date: Int64

    package init(_ kind: FigureKind, _ formula: String, of inputs: [PieceName], on date: Int64) {
        (self.kind, self.formula, self.date) = (kind, formula, date)
        self.inputs = Set(inputs).sorted()
    }

    /// From results.
    init(_ kind: FigureKind, _ formula: String, of figures: [EventResult]) {
        self.init(
            kind, formula, of: figures.flatMap(\.inputs), on: figures.map(\.date).max() ?? 0)
    }

    /// Writes the members into an open object, without the sessions if the caller lists them elsewhere.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        json.field("kind", kind.rawValue)
        json.field("formula", formula)
        json.field("at_ms", date)
        guard listsInputs else { return }
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }
}

/// Why a figure is missing, with the amount of data available and needed.
package struct MissingReason: Error, Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// No athlete was assigned to the machine.
        case noAthlete = "no_athlete"
        /// No resting and maximal heart rate was entered.
        case noHeartLimits = "no_heart_limits"
        case noRanked2000 = "no_ranked_2000m"
        /// A 2000 m on a BikeErg takes half as long as the zones assume.
        case notOnBike = "not_on_bike"
        case tooFewResults = "too_few_results"
        /// Their durations are too similar.
        case tooNarrow = "too_narrow"
        /// The model does not fit the results.
        case poorFit = "poor_fit"
        case intervals
        /// Some strokes were not received, or the clock stopped.
        case broken
        /// In seconds.
        case tooShort = "too_short"
        /// Heart rates are known for too little of it; percent of its time.
        case noHeartRate = "no_heart_rate"
        /// Power varied too much: percent.
        case notSteady = "not_steady"
        case tooFewStrokes = "too_few_strokes"
        /// No ranked result predicts the power for an hour.
        case noHourPower = "no_hour_power"
        /// Power is known for too little of it; percent of its time.
        case noPower = "no_power"
        /// Too few complete force curves.
        case tooFewCurves = "too_few_curves"
    }

    package var kind: Kind
    /// Tenths, in the unit of the reason; nil if the reason has no amount.
    package var has: Int64?
    package var needs: Int64?

    init(_ kind: Kind) { self.kind = kind }

    init(_ kind: Kind, has: Double, needs: Double) {
        self.kind = kind
        (self.has, self.needs) = (Int64((has * 10).rounded()), Int64((needs * 10).rounded()))
    }
}

extension JSONWriter {
    /// Writes an object with the figure's members, or with the reason why it is missing.
    package mutating func result<Figure>(
        _ name: StaticString, _ figure: Result<Figure, MissingReason>,
        _ members: (Figure, inout JSONWriter) -> Void
    ) {
        object(name) { json in
            switch figure {
            case .success(let figure): members(figure, &json)
            case .failure(let reason): json.missing("missing", reason)
            }
        }
    }

    /// Writes the reason why a figure is missing.
    mutating func missing(_ name: StaticString, _ reason: MissingReason) {
        object(name) { json in
            json.field("reason", reason.kind.rawValue)
            json.field("has", reason.has, places: 1)
            json.field("needs", reason.needs, places: 1)
        }
    }

    /// Writes a decimal, rounded to a number of places.
    mutating func decimal(_ name: StaticString, _ value: Double, places: Int) {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        field(name, Int64((value * scale).rounded()), places: places)
    }
}
