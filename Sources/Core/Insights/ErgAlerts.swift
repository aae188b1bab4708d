import PM5Codec
import Rowing
import Timeline

/// What the rules want to know of an erg at a moment, beside its strokes.
package struct ErgMoment: Sendable {
    /// Whether the link to the monitor is lost: neither open nor given up on purpose.
    package var isLinkLost: Bool
    /// Nil without a link, and while nobody knows what came of the piece meanwhile.
    package var sample: MetricsSample?
    /// Percent; nil as long as the monitor told none.
    package var batteryPercent: Int?

    package init(isLinkLost: Bool, sample: MetricsSample?, batteryPercent: Int? = nil) {
        self.isLinkLost = isLinkLost
        self.sample = sample
        self.batteryPercent = batteryPercent
    }
}

/// The alerts of one erg: what is rowed on it at each stroke, its silence as time passes.
package struct ErgAlerts: Sendable {
    /// Less than this without a stroke is no stop, however fast one rows.
    package static let shortestStop = Duration.seconds(6)
    /// Expected strokes that a rower has to miss.
    static let missedStrokes = 3
    /// From a standing start, the first strokes of an interval are like no other.
    static let startingStrokes = 3
    /// Percent of the minute before, which is a collapse, and which is none any more.
    static let collapse = (percent: 40, exit: 60)
    /// So many beats below the limit a heart rate is right again.
    static let heartRateMargin = 3
    /// So much within the band a pace is right again, in hundredths of a second for 500 m.
    static let paceMargin = 50
    /// So many percent above the limit a battery is full again.
    static let batteryMargin = 5
    /// A process that begins has no links yet: by then all are back that come back.
    package static let linksReturn = Duration.seconds(180)

    private var settings: AlertSettings
    private var book: AlertBook
    /// The session that is open.
    private var session: SessionEdge?
    private var power = PowerMinute()
    private var lastStroke: Stroke?
    private var strokesOfInterval = 0
    private var hasHeartRate = false
    /// Known time without a stroke.
    private var quiet = Duration.zero
    private var known: BootInstant?
    private var linkLost: BootInstant?
    /// Until when a link that this process has not had yet is only awaited; nil before the first moment.
    private var linkAwaited: BootInstant?
    private var hadLink = false
    private var dragFactor: Int?

    /// - Parameters:
    ///   - firing: what fired when another process was here last.
    ///   - makeID: a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        self.settings = settings
        book = AlertBook(settings.ofErg, firing: firing, makeID: makeID)
    }

    /// What fires, in the order of the rules.
    package var firing: [Alert] { book.firing }

    /// Somebody has seen the alert of an id. Returns it with who saw it first; nil where none of that
    /// id fires.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into alerts: inout [Alert]
    ) -> Alert? {
        book.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Nobody knows any more that it was `name` who saw what fires.
    package mutating func forget(_ name: String) { book.forget(name) }

    /// What is out above the erg: nothing of it can be judged meanwhile.
    package mutating func note(outage: AlertRule.Level?) { book.outage = outage }

    /// From now on this is what figures are held against: somebody else sits there.
    package mutating func hold(
        to settings: AlertSettings, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard settings != self.settings else { return }
        self.settings = settings
        book.turnOn(settings.ofErg, at: now, into: &alerts)
    }

    /// Goes on with a session that another process left open, or with none.
    package mutating func resume(_ session: SessionEdge?) { self.session = session }

    // MARK: - What happened

    /// Takes in what happened at the erg.
    package mutating func take(
        _ event: SessionEvent, at now: BootInstant, into alerts: inout [Alert]
    ) {
        switch event {
        case .session(let edge): take(edge, at: now, into: &alerts)
        case .stroke(let stroke): take(stroke, at: now, into: &alerts)
        case .force, .split, .summary, .gap, .state: break
        }
    }

    private mutating func take(
        _ edge: SessionEdge, at now: BootInstant, into alerts: inout [Alert]
    ) {
        session = edge.kind == .ended ? nil : edge
        guard edge.kind == .started || edge.kind == .ended else { return }
        book.end(allBut: session?.session, at: now, into: &alerts)
        book.restart(at: now)
        power.restart()
        (lastStroke, strokesOfInterval, hasHeartRate, quiet) = (nil, 0, false, .zero)
    }

    private mutating func take(
        _ stroke: Stroke, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard stroke.session == session?.session else { return }
        // Of a piece in one go the splits are numbered there, which are no new start.
        if session?.workout.type.isInterval == true, stroke.interval != lastStroke?.interval {
            strokesOfInterval = 0
            power.restart()
        }
        lastStroke = stroke
        quiet = .zero
        strokesOfInterval += 1
        judgePower(of: stroke, at: now, into: &alerts)
        judge(.dragOutOfBand, dragReading, at: now, into: &alerts)
        guard strokesOfInterval > Self.startingStrokes else { return }
        judge(
            .offPace, stroke.pace?.centiseconds, in: paces(for: stroke), margin: Self.paceMargin,
            at: now, into: &alerts)
        judge(
            .rateOutOfBand, stroke.strokeRate.map { $0 * 100 }, in: rates(for: stroke), margin: 0,
            at: now, into: &alerts)
    }

    /// Judges a figure in hundredths; without a band the rule is off.
    private mutating func judge(
        _ rule: AlertRule, _ value: Int?, in band: ClosedRange<Int>?, margin: Int,
        at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard let band else { return book.drop(rule, at: now, into: &alerts) }
        let reading = value.map {
            AlertReading($0, in: band, margin: min(margin, band.count / 4))
        }
        judge(rule, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judgePower(
        of stroke: Stroke, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard book.has(.powerCollapse), let watts = stroke.powerWatts else { return }
        let percent = power.add(
            watts, at: stroke.elapsed, isCollapsed: book.isFiring(.powerCollapse))
        let reading = percent.map {
            AlertReading($0, atLeast: Self.collapse.percent, exit: Self.collapse.exit)
        }
        judge(.powerCollapse, reading ?? .unknown, at: now, into: &alerts)
    }

    /// What a stroke's pace is held against, in hundredths: its target, or else what the
    /// configuration says.
    private func paces(for stroke: Stroke) -> ClosedRange<Int>? {
        if let target = stroke.target?.bands.pace { return target.acceptedPaces.range() }
        return settings.paces.map { $0.lowerBound.centiseconds...$0.upperBound.centiseconds }
    }

    /// What its rate is held against, likewise.
    private func rates(for stroke: Stroke) -> ClosedRange<Int>? {
        if let target = stroke.target?.bands.rate { return target.range(unit: 100) }
        return settings.rates.map { $0.lowerBound * 100...$0.upperBound * 100 }
    }

    private var dragReading: AlertReading {
        guard let drags = settings.drags, let dragFactor else { return .unknown }
        return AlertReading(dragFactor, in: drags)
    }

    // MARK: - As time passes

    /// Takes in a moment; comes about every second, also while the link is down.
    package mutating func take(
        _ moment: ErgMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        book.end(allBut: session?.session, at: now, into: &alerts)
        judgeBattery(moment, at: now, into: &alerts)
        judgeLink(moment, at: now, into: &alerts)
        let fresh = moment.sample.flatMap { $0.isStale ? nil : $0 }
        let passed = known.map { min($0.duration(to: now), RuleMachine.longestMoment) } ?? .zero
        known = fresh == nil ? nil : now
        guard session != nil else { return }
        if let drag = fresh?.dragFactor { dragFactor = drag }
        judgeSilence(fresh, after: passed, at: now, into: &alerts)
        judgeHeart(fresh, at: now, into: &alerts)
    }

    private mutating func judgeBattery(
        _ moment: ErgMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        let reading = moment.batteryPercent.map {
            AlertReading(
                $0, atLeast: settings.lowestBattery,
                exit: settings.lowestBattery + Self.batteryMargin)
        }
        judge(.batteryLow, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judgeLink(
        _ moment: ErgMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        linkLost = moment.isLinkLost ? linkLost ?? now : nil
        hadLink = hadLink || !moment.isLinkLost
        let awaited = linkAwaited ?? now.advanced(by: Self.linksReturn)
        linkAwaited = awaited
        guard session != nil else { return }
        guard hadLink || now >= awaited else {
            return judge(.linkLost, .unknown, at: now, into: &alerts)
        }
        var reading = AlertReading(isWrong: moment.isLinkLost)
        reading.value = linkLost?.duration(to: now).hundredths ?? 0
        if case .time(let limit) = AlertRule.linkLost.timing.hold {
            reading.threshold = limit.hundredths
        }
        judge(.linkLost, reading, at: now, into: &alerts)
    }

    /// A pause alone is no stop: strokes of a fast rower, or of none, come at other distances.
    private mutating func judgeSilence(
        _ sample: MetricsSample?, after passed: Duration, at now: BootInstant,
        into alerts: inout [Alert]
    ) {
        guard let sample else {
            return judge(.stopped, .unknown, at: now, into: &alerts)
        }
        quiet = sample.state == .resting ? .zero : quiet + passed
        let limit = stopLimit
        let verdict: AlertVerdict =
            switch sample.state {
            case .paused where quiet >= limit && isInPiece: .wrong
            case .rowing, .resting, .finished: .right
            case .paused, .idle, .ready: .between
            }
        judge(
            .stopped,
            AlertReading(
                verdict: verdict, value: quiet.hundredths, threshold: limit.hundredths),
            at: now, into: &alerts)
    }

    /// A piece has a goal; in a just row people stop as they like.
    private var isInPiece: Bool { session.map { !$0.workout.type.isJustRow } ?? false }

    /// How long nobody has to row to have stopped.
    private var stopLimit: Duration {
        guard let rate = lastStroke?.strokeRate, rate > 0 else { return Self.shortestStop }
        return max(Self.shortestStop, .milliseconds(60_000 * Self.missedStrokes / rate))
    }

    private mutating func judgeHeart(
        _ sample: MetricsSample?, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard let sample else {
            judge(.heartRateHigh, .unknown, at: now, into: &alerts)
            return judge(.heartRateLost, .unknown, at: now, into: &alerts)
        }
        let rate = sample.heartRate
        hasHeartRate = hasHeartRate || rate != nil
        if hasHeartRate {
            judge(.heartRateLost, AlertReading(isWrong: rate == nil), at: now, into: &alerts)
        }
        guard let highest = settings.highestHeartRate else { return }
        let reading = rate.map {
            AlertReading($0, below: highest, exit: highest - Self.heartRateMargin)
        }
        judge(.heartRateHigh, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judge(
        _ rule: AlertRule, _ reading: AlertReading, at now: BootInstant,
        into alerts: inout [Alert]
    ) {
        book.take(rule, reading, of: session?.session, at: now, into: &alerts)
    }
}

extension AlertReading {
    /// A whole figure that should stay in a band, and is right as soon as it is back.
    fileprivate init(_ value: Int, in band: ClosedRange<Int>) {
        self.init(
            value * 100, in: band.lowerBound * 100...band.upperBound * 100, margin: 0)
    }
}

extension TargetBand {
    /// Above every figure.
    private static let most = 1_000_000

    /// In parts of the band's unit.
    fileprivate func range(unit: Int = 1) -> ClosedRange<Int> {
        let least = (low ?? 0) * unit
        return least...max(least, (high ?? Self.most) * unit)
    }
}

extension Pace {
    fileprivate var centiseconds: Int { Int(millisecondsPer500m / 10) }
}

extension Duration {
    /// Of a second.
    var hundredths: Int { Int(wholeMilliseconds / 10) }
}
