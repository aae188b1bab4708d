import Bests
import Bytes

/// What a figure of training rests on: what it can claim, how it comes about, and of what.
package struct FigureBasis: Equatable, Sendable {
    package var kind: FigureKind
    /// How it comes about, in words and signs.
    package var formula: String
    /// Sessions, in order, each once.
    package var inputs: [PieceName]
    /// Unix milliseconds: when the latest of them began.
    package var date: Int64

    package init(_ kind: FigureKind, _ formula: String, of inputs: [PieceName], on date: Int64) {
        (self.kind, self.formula, self.date) = (kind, formula, date)
        self.inputs = Set(inputs).sorted()
    }

    /// Of results.
    init(_ kind: FigureKind, _ formula: String, of figures: [RowedFigure]) {
        self.init(
            kind, formula, of: figures.flatMap(\.inputs), on: figures.map(\.date).max() ?? 0)
    }

    /// Its members, in an object that is open; without the sessions where they stand beside it.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        json.field("kind", kind.rawValue)
        json.field("formula", formula)
        json.field("at_ms", date)
        guard listsInputs else { return }
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }
}

/// Why a figure is not told, with how much there is of what it needs.
package struct Lack: Error, Equatable, Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        /// Nobody was assigned to the machine.
        case noAthlete = "no_athlete"
        /// Nobody gave a resting and a maximal heart rate.
        case noHeartLimits = "no_heart_limits"
        case noRanked2000 = "no_ranked_2000m"
        /// A 2000 m on a BikeErg takes half as long as the zones are made for.
        case notOnBike = "not_on_bike"
        case tooFewResults = "too_few_results"
        /// Their durations are too alike.
        case tooNarrow = "too_narrow"
        /// Results that a model of this kind does not describe.
        case poorFit = "poor_fit"
        case intervals
        /// Not all of it was heard, or its clock stood.
        case broken
        /// Seconds of it.
        case tooShort = "too_short"
        /// Heart rates over too little of it: percent of its time.
        case noHeartRate = "no_heart_rate"
        /// Power went up and down by too much: percent.
        case notSteady = "not_steady"
        case tooFewStrokes = "too_few_strokes"
        /// No ranked result lets expect what somebody holds for an hour.
        case noHourPower = "no_hour_power"
        /// Power over too little of it: percent of its time.
        case noPower = "no_power"
        /// Force curves that are whole.
        case tooFewCurves = "too_few_curves"
    }

    package var reason: Reason
    /// In what the reason counts; nil where it counts nothing. Tenths.
    package var has: Int64?
    package var needs: Int64?

    init(_ reason: Reason) { self.reason = reason }

    init(_ reason: Reason, has: Double, needs: Double) {
        self.reason = reason
        (self.has, self.needs) = (Int64((has * 10).rounded()), Int64((needs * 10).rounded()))
    }
}

/// A figure, or why there is none.
package typealias Told<Figure> = Result<Figure, Lack>

extension JSONWriter {
    /// An object of a figure's members, or of why it is not told.
    package mutating func told<Figure>(
        _ name: StaticString, _ figure: Told<Figure>,
        _ members: (Figure, inout JSONWriter) -> Void
    ) {
        object(name) { json in
            switch figure {
            case .success(let figure): members(figure, &json)
            case .failure(let lack): json.lack("missing", lack)
            }
        }
    }

    /// Why something is not told.
    mutating func lack(_ name: StaticString, _ lack: Lack) {
        object(name) { json in
            json.field("reason", lack.reason.rawValue)
            json.field("has", lack.has, places: 1)
            json.field("needs", lack.needs, places: 1)
        }
    }

    /// A decimal of so many places, rounded.
    mutating func decimal(_ name: StaticString, _ value: Double, places: Int) {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        field(name, Int64((value * scale).rounded()), places: places)
    }
}
