import Bests
import Bytes
import Timeline

/// The form in which a store keeps the metrics of a session.
extension PieceTraining {
    /// The version of the formulas and of the form. Increase it with every change of either: then the metrics of all
    /// sessions are computed again. `PieceTrainingCodingTests` fails if the bytes change without a new version.
    package static let version = 1

    package func encode() -> [UInt8] {
        var training = self
        return ByteCoder.bytes { training.code(with: &$0, in: .utc) }
    }

    /// Returns nil for damaged bytes.
    ///
    /// - Parameter calendar: the club's calendar.
    package init?(decoding bytes: [UInt8], of name: PieceName, in calendar: ClubCalendar) {
        self.init(RecordedPiece(name: name, startedAt: 0), in: calendar)
        var training = self
        let isDecoded: Void? = ByteCoder.read(bytes) { training.code(with: &$0, in: calendar) }
        guard isDecoded != nil else { return nil }
        self = training
    }

    private mutating func code(with coder: inout ByteCoder, in calendar: ClubCalendar) {
        metrics.code(with: &coder, in: calendar)
        power.code(with: &coder)
        heart.code(with: &coder)
        let (name, startedAt) = (metrics.name, metrics.startedAt)
        func basis(_ formula: String) -> FigureBasis {
            FigureBasis(.computed, formula, of: [name], on: startedAt)
        }
        coder.figure(&drift, \.values) { HeartDrift($0, basis(HeartDrift.formula)) }
        coder.figure(&consistency, \.values) { Consistency($0, basis(Consistency.formula)) }
        let formula = SplitIndex.formula(for: metrics.preset)
        coder.figure(&split, \.values) { SplitIndex($0, basis(formula)) }
        coder.figure(&force, \.values) { ForceFeatures(values: $0) }
        workout.code(with: &coder)
        normalized.code(with: &coder)
    }
}

extension ByteCoder {
    /// Codes the values of a figure, or the reason why it is missing.
    ///
    /// - Parameter figure: returns nil for values of another figure.
    fileprivate mutating func figure<Figure>(
        _ result: inout Result<Figure, MissingReason>, _ values: (Figure) -> [Double],
        _ figure: ([Double]) -> Figure?
    ) {
        var (numbers, reason): ([Double], MissingReason?) = ([], nil)
        switch result {
        case .success(let figure): numbers = values(figure)
        case .failure(let found): reason = found
        }
        reason.code(with: &self)
        if reason == nil { list(&numbers, blank: 0) { $1.code(with: &$0) } }
        guard isReading else { return }
        if let reason {
            result = .failure(reason)
        } else if let figure = figure(numbers) {
            result = .success(figure)
        } else {
            refuse()
        }
    }
}

extension MissingReason: ByteCodable {
    package static var blank: MissingReason { MissingReason(.broken) }

    package mutating func code(with coder: inout ByteCoder) {
        coder.choice(&kind, among: Kind.allCases)
        has.code(with: &coder)
        needs.code(with: &coder)
    }
}

extension HeartDrift {
    fileprivate var values: [Double] { halves.flatMap { [$0.watts, $0.heartRate] } }

    fileprivate init?(_ values: [Double], _ basis: FigureBasis) {
        guard values.count == 4 else { return nil }
        self.init(
            [Half(watts: values[0], heartRate: values[1]), Half(watts: values[2], heartRate: values[3])],
            basis)
    }
}

extension Consistency {
    fileprivate var values: [Double] {
        [powerPercent, ratePercent, Double(strokes)] + (driveSeconds.map { [$0] } ?? [])
    }

    fileprivate init?(_ values: [Double], _ basis: FigureBasis) {
        guard (3...4).contains(values.count), let strokes = Int(exactly: values[2]) else { return nil }
        self.init(
            basis: basis, powerPercent: values[0], ratePercent: values[1],
            driveSeconds: values.count == 4 ? values[3] : nil, strokes: strokes)
    }
}

extension SplitIndex {
    fileprivate var values: [Double] { [percent] + paces }

    fileprivate init?(_ values: [Double], _ basis: FigureBasis) {
        guard values.count == 3 else { return nil }
        self.init(basis: basis, percent: values[0], paces: Array(values.dropFirst()))
    }
}

extension NormalizedPower: ByteCodable {
    package static var blank: NormalizedPower { NormalizedPower(watts: 0, centiseconds: 0) }

    package mutating func code(with coder: inout ByteCoder) {
        var (watts, centiseconds) = (watts, centiseconds)
        watts.code(with: &coder)
        centiseconds.code(with: &coder)
        self = NormalizedPower(watts: watts, centiseconds: centiseconds)
    }
}
