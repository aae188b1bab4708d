import Dispatch

/// A timer on a queue, one-shot or repeating, on the monotonic clock.
///
/// Confined to the queue of its executor.
package final class QueueTimer {
    private let source: any DispatchSourceTimer
    private let executor: SerialQueueExecutor
    private var cancelled = false

    /// A timer that is not running yet; `handler` runs on the executor's queue.
    package init(on executor: SerialQueueExecutor, handler: @escaping @Sendable () -> Void) {
        self.executor = executor
        source = DispatchSource.makeTimerSource(queue: executor.queue)
        source.setEventHandler(handler: handler)
        source.schedule(deadline: .distantFuture)
        source.activate()
    }

    /// Fires once after `delay`, replacing what was scheduled before.
    package func fire(after delay: Duration) {
        schedule(deadline: .now() + .nanoseconds(delay.clampedNanoseconds), repeating: .never)
    }

    /// Fires once at `microseconds` of CLOCK_MONOTONIC, the clock that sd-bus counts on.
    package func fire(atMonotonicMicroseconds microseconds: UInt64) {
        let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        let deadline: DispatchTime =
            overflow ? .distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds)
        schedule(deadline: deadline, repeating: .never)
    }

    /// Fires every `interval`, the first time after one interval.
    package func fire(every interval: Duration, leeway: Duration = .milliseconds(10)) {
        let step = DispatchTimeInterval.nanoseconds(interval.clampedNanoseconds)
        schedule(
            deadline: .now() + step, repeating: step,
            leeway: .nanoseconds(leeway.clampedNanoseconds))
    }

    /// Forgets what was scheduled; the timer can be used again.
    package func stop() {
        schedule(deadline: .distantFuture, repeating: .never)
    }

    /// Ends the timer for good. Idempotent.
    package func cancel() {
        executor.checkIsolated()
        guard !cancelled else { return }
        cancelled = true
        source.cancel()
    }

    private func schedule(
        deadline: DispatchTime, repeating: DispatchTimeInterval,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        executor.checkIsolated()
        source.schedule(deadline: deadline, repeating: repeating, leeway: leeway)
    }

    deinit { if !cancelled { source.cancel() } }
}

extension Duration {
    /// Whole nanoseconds, held inside what Dispatch takes: 0 to about 292 years.
    package var clampedNanoseconds: Int {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ Int(attoseconds / 1_000_000_000)
    }
}
