import Bytes

/// The target results of a session's strokes: in total, and for the last two splits or intervals. A stroke
/// may be published after its split.
struct TargetTotals: Equatable {
    private struct Part: Equatable {
        var interval = 0
        var tally = TargetTally()
    }

    private(set) var all = TargetTally()
    private var latest = Part()
    private var before = Part()

    init() {}

    mutating func add(_ check: TargetCheck?, interval: Int?) {
        guard let check else { return }
        all.add(check)
        guard let interval else { return }
        if interval > latest.interval { (before, latest) = (latest, Part(interval: interval)) }
        if interval == latest.interval {
            latest.tally.add(check)
        } else if interval == before.interval {
            before.tally.add(check)
        }
    }

    /// The result of a split or interval; nil if none of its strokes had a target.
    func tally(ofInterval number: Int) -> TargetTally? {
        [latest, before].first { $0.interval == number && $0.tally.strokes > 0 }?.tally
    }
}

// MARK: - Bytes of a checkpoint

extension TargetTotals {
    mutating func code(with coder: inout ByteCoder) {
        all.code(with: &coder)
        for part in [\TargetTotals.latest, \TargetTotals.before] {
            coder.count(&self[keyPath: part].interval)
            self[keyPath: part].tally.code(with: &coder)
        }
    }
}

extension WorkoutTargets {
    mutating func code(with coder: inout ByteCoder) {
        var bands = intervals
        coder.list(&bands, blank: TargetBands()) { coder, bands in
            coder.band(&bands.pace)
            coder.band(&bands.watts)
            coder.band(&bands.rate)
            coder.band(&bands.heartRate)
        }
        guard bands.count <= Self.maximumCount else { return coder.refuse() }
        self = WorkoutTargets(bands)
    }
}

extension ByteCoder {
    /// Codes each end as 0 if open, otherwise plus one. Two zeros mean no band.
    fileprivate mutating func band(_ band: inout TargetBand?) {
        var low = band?.low.map { $0 + 1 } ?? 0
        var high = band?.high.map { $0 + 1 } ?? 0
        count(&low)
        count(&high)
        guard isReading else { return }
        let ends = TargetBand(low: low > 0 ? low - 1 : nil, high: high > 0 ? high - 1 : nil)
        band = ends == TargetBand(low: nil, high: nil) ? nil : ends
    }
}
