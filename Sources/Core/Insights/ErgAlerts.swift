import PM5Codec
import Rowing
import Timeline

/// The state of an erg at one moment, apart from its strokes.
package struct ErgMoment: Sendable {
    /// Whether the link to the monitor is lost: neither open nor deliberately closed.
    package var isLinkLost: Bool
    /// Nil without a link, and while the state of the piece is unknown.
    package var sample: MetricsSample?
    /// Percent; nil until the monitor reports it.
    package var batteryPercent: Int?

    package init(isLinkLost: Bool, sample: MetricsSample?, batteryPercent: Int? = nil) {
        self.isLinkLost = isLinkLost
        self.sample = sample
        self.batteryPercent = batteryPercent
    }
}

/// The alerts of one erg: session rules at each stroke, the others as time passes.
package struct ErgAlerts: Sendable {
    /// The limits that no setting changes. `Topics.md` repeats those that a coach notices.
    private enum Limit {
        /// A shorter time without a stroke is not a stop, at any stroke rate.
        static let shortestStop = Duration.seconds(6)
        /// Expected strokes that the rower must miss.
        static let missedStrokes = 3
        /// The first strokes of an interval are not judged, since they start from rest.
        static let startingStrokes = 3
        /// A heart rate is right again this many beats below the limit.
        static let heartRateMargin = 3
        /// A pace is right again this far inside the band, in hundredths of a second per 500 m.
        static let paceMargin = 50
        /// A battery is right again this many percent above the limit.
        static let batteryMargin = 5
        /// A new process has no links. By this time all available links are back.
        static let linksReturn = Duration.seconds(180)
    }

    private var settings: AlertSettings
    private var tracker: AlertTracker
    /// The open session.
    private var session: SessionTransition?
    private var power = PowerCollapse()
    private var lastStroke: Stroke?
    private var strokesOfInterval = 0
    private var hasHeartRate = false
    /// Known time without a stroke.
    private var timeWithoutStroke = Duration.zero
    private var lastFresh: BootInstant?
    private var linkLost: BootInstant?
    /// Until then, a link that was not open in this process yet is only awaited; nil before the first
    /// moment.
    private var linkAwaited: BootInstant?
    private var hadLink = false
    private var dragFactor: Int?

    /// - Parameters:
    ///   - firing: the active alerts of the last process.
    ///   - makeID: returns a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        self.settings = settings
        tracker = AlertTracker(settings.ofErg, firing: firing, makeID: makeID)
    }

    /// Active alerts, in the order of the rules.
    package var firing: [Alert] { tracker.firing }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no active alert
    /// has this id.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into alerts: inout [Alert]
    ) -> Alert? {
        tracker.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Removes `name` as the person who acknowledged active alerts.
    package mutating func forget(_ name: String) { tracker.forget(name) }

    /// Sets the level above the erg that is out of service: the erg cannot be judged meanwhile.
    package mutating func note(outage: AlertRule.Level?) { tracker.outage = outage }

    /// Sets the limits from now on, for example for another athlete.
    package mutating func setLimits(
        _ settings: AlertSettings, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard settings != self.settings else { return }
        self.settings = settings
        tracker.enable(settings.ofErg, at: now, into: &alerts)
    }

    /// Continues a session that another process left open, or none.
    package mutating func resume(_ session: SessionTransition?) { self.session = session }

    // MARK: - Events

    /// Judges an event of the erg, and appends the alerts that started or ended to `alerts`.
    package mutating func handle(
        _ event: SessionEvent, at now: BootInstant, into alerts: inout [Alert]
    ) {
        switch event {
        case .session(let transition): handle(transition, at: now, into: &alerts)
        case .stroke(let stroke): handle(stroke, at: now, into: &alerts)
        case .force, .split, .summary, .gap, .state: break
        }
    }

    private mutating func handle(
        _ transition: SessionTransition, at now: BootInstant, into alerts: inout [Alert]
    ) {
        session = transition.kind == .ended ? nil : transition
        guard transition.kind == .started || transition.kind == .ended else { return }
        tracker.end(allBut: session?.session, at: now, into: &alerts)
        tracker.restart(at: now)
        power.restart()
        (lastStroke, strokesOfInterval, hasHeartRate, timeWithoutStroke) = (nil, 0, false, .zero)
    }

    private mutating func handle(
        _ stroke: Stroke, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard stroke.session == session?.session else { return }
        // Splits of a single piece are numbered too, but they are not a new start.
        if session?.workout.type.isInterval == true, stroke.interval != lastStroke?.interval {
            strokesOfInterval = 0
            power.restart()
        }
        lastStroke = stroke
        timeWithoutStroke = .zero
        strokesOfInterval += 1
        judgePower(of: stroke, at: now, into: &alerts)
        judge(.dragOutOfBand, dragReading, at: now, into: &alerts)
        guard strokesOfInterval > Limit.startingStrokes else { return }
        judge(
            .offPace, stroke.pace?.centiseconds, in: paces(for: stroke), margin: Limit.paceMargin,
            at: now, into: &alerts)
        judge(
            .rateOutOfBand, stroke.strokeRate.map { $0 * 100 }, in: rates(for: stroke), margin: 0,
            at: now, into: &alerts)
    }

    /// Judges a value in hundredths; without a band the rule is disabled.
    private mutating func judge(
        _ rule: AlertRule, _ value: Int?, in band: ClosedRange<Int>?, margin: Int,
        at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard let band else { return tracker.drop(rule, at: now, into: &alerts) }
        let reading = value.map {
            AlertReading($0, in: band, margin: min(margin, band.count / 4))
        }
        judge(rule, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judgePower(
        of stroke: Stroke, at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard tracker.has(.powerCollapse), let watts = stroke.powerWatts else { return }
        let percent = power.add(
            watts, at: stroke.elapsed, isCollapsed: tracker.isFiring(.powerCollapse))
        let reading = percent.map {
            AlertReading($0, atLeast: PowerCollapse.limit, exit: PowerCollapse.exit)
        }
        judge(.powerCollapse, reading ?? .unknown, at: now, into: &alerts)
    }

    /// The accepted paces of a stroke, in hundredths: from its target, or else from the settings.
    private func paces(for stroke: Stroke) -> ClosedRange<Int>? {
        if let target = stroke.target?.bands.pace { return target.acceptedPaces.range() }
        return settings.paces.map { $0.lowerBound.centiseconds...$0.upperBound.centiseconds }
    }

    /// The accepted stroke rates, from the same sources.
    private func rates(for stroke: Stroke) -> ClosedRange<Int>? {
        if let target = stroke.target?.bands.rate { return target.range(unit: 100) }
        return settings.rates.map { $0.lowerBound * 100...$0.upperBound * 100 }
    }

    private var dragReading: AlertReading {
        guard let drags = settings.drags, let dragFactor else { return .unknown }
        return AlertReading(dragFactor, in: drags)
    }

    // MARK: - Passing time

    /// Evaluates a moment; called about every second, also while the link is down.
    package mutating func evaluate(
        _ moment: ErgMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        tracker.end(allBut: session?.session, at: now, into: &alerts)
        judgeBattery(moment, at: now, into: &alerts)
        judgeLink(moment, at: now, into: &alerts)
        let fresh = moment.sample.flatMap { $0.isStale ? nil : $0 }
        let passed = lastFresh.map { min($0.duration(to: now), RuleMachine.longestMoment) } ?? .zero
        lastFresh = fresh == nil ? nil : now
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
                exit: settings.lowestBattery + Limit.batteryMargin)
        }
        judge(.batteryLow, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judgeLink(
        _ moment: ErgMoment, at now: BootInstant, into alerts: inout [Alert]
    ) {
        linkLost = moment.isLinkLost ? linkLost ?? now : nil
        hadLink = hadLink || !moment.isLinkLost
        let awaited = linkAwaited ?? now.advanced(by: Limit.linksReturn)
        linkAwaited = awaited
        guard session != nil else { return }
        guard hadLink || now >= awaited else {
            return judge(.linkLost, .unknown, at: now, into: &alerts)
        }
        var reading = AlertReading(isWrong: moment.isLinkLost)
        reading.value = linkLost?.duration(to: now).hundredths ?? 0
        if case .time(let limit) = AlertRule.linkLost.timing.raiseAfter {
            reading.threshold = limit.hundredths
        }
        judge(.linkLost, reading, at: now, into: &alerts)
    }

    /// The monitor's pause alone is not a stop, since its limit does not depend on the stroke rate.
    private mutating func judgeSilence(
        _ sample: MetricsSample?, after passed: Duration, at now: BootInstant,
        into alerts: inout [Alert]
    ) {
        guard let sample else {
            return judge(.stopped, .unknown, at: now, into: &alerts)
        }
        timeWithoutStroke = sample.state == .resting ? .zero : timeWithoutStroke + passed
        let limit = stopLimit
        let verdict: AlertVerdict =
            switch sample.state {
            case .paused where timeWithoutStroke >= limit && isInPiece: .wrong
            case .rowing, .resting, .finished: .right
            case .paused, .idle, .ready: .between
            }
        judge(
            .stopped,
            AlertReading(
                verdict: verdict, value: timeWithoutStroke.hundredths, threshold: limit.hundredths),
            at: now, into: &alerts)
    }

    /// A piece has a goal; in a just row the rower may stop at any time.
    private var isInPiece: Bool { session.map { !$0.workout.type.isJustRow } ?? false }

    /// The time without a stroke that counts as a stop.
    private var stopLimit: Duration {
        guard let rate = lastStroke?.strokeRate, rate > 0 else { return Limit.shortestStop }
        return max(Limit.shortestStop, .milliseconds(60_000 * Limit.missedStrokes / rate))
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
            AlertReading($0, below: highest, exit: highest - Limit.heartRateMargin)
        }
        judge(.heartRateHigh, reading ?? .unknown, at: now, into: &alerts)
    }

    private mutating func judge(
        _ rule: AlertRule, _ reading: AlertReading, at now: BootInstant,
        into alerts: inout [Alert]
    ) {
        tracker.evaluate(rule, reading, of: session?.session, at: now, into: &alerts)
    }
}

extension AlertReading {
    /// A whole value that should stay in a range, and is right as soon as it is back.
    fileprivate init(_ value: Int, in band: ClosedRange<Int>) {
        self.init(
            value * 100, in: band.lowerBound * 100...band.upperBound * 100, margin: 0)
    }
}

extension TargetBand {
    /// Above every value.
    private static let most = 1_000_000

    /// In fractions of the band's unit.
    fileprivate func range(unit: Int = 1) -> ClosedRange<Int> {
        let least = (low ?? 0) * unit
        return least...max(least, (high ?? Self.most) * unit)
    }
}

extension Pace {
    fileprivate var centiseconds: Int { Int(millisecondsPer500m / 10) }
}

extension Duration {
    /// Hundredths of a second.
    var hundredths: Int { Int(wholeMilliseconds / 10) }
}
