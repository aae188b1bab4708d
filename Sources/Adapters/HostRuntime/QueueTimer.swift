import Dispatch

/// A timer on a queue, one-shot or repeating, on the monotonic clock.
///
/// Confined to the queue of its executor.
package final class QueueTimer {
    private enum Source {
        case dispatch(any DispatchSourceTimer)
        case loop(any QueueLoopTimer)
    }

    private let source: Source
    private let executor: SerialQueueExecutor
    private var cancelled = false
    /// Nothing is scheduled. Dispatch wakes a thread for each change of a timer.
    private var isIdle = true

    /// Creates a timer that is not running yet; `handler` runs on the executor's queue.
    package init(on executor: SerialQueueExecutor, handler: @escaping @Sendable () -> Void) {
        self.executor = executor
        switch executor.backing {
        case .dispatch(let queue):
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler(handler: handler)
            timer.schedule(deadline: .distantFuture)
            timer.activate()
            source = .dispatch(timer)
        case .loop(let loop): source = .loop(loop.makeTimer(on: executor, handler: handler))
        }
    }

    /// Fires once after `delay`, replacing the previous schedule.
    package func fire(after delay: Duration) {
        schedule(after: delay, every: nil)
    }

    /// Fires once at `microseconds` of CLOCK_MONOTONIC, the clock that sd-bus counts on.
    package func fire(atMonotonicMicroseconds microseconds: UInt64) {
        let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
        let deadline: DispatchTime =
            overflow ? .distantFuture : DispatchTime(uptimeNanoseconds: nanoseconds)
        executor.checkIsolated()
        guard case .dispatch(let timer) = source else {
            preconditionFailure("sd-bus runs in real time only")
        }
        isIdle = false
        timer.schedule(deadline: deadline, repeating: .never)
    }

    /// Fires every `interval`, the first time after one interval.
    package func fire(every interval: Duration, leeway: Duration = .milliseconds(10)) {
        schedule(after: interval, every: interval, leeway: leeway)
    }

    /// Cancels the schedule; the timer can be used again.
    package func stop() {
        executor.checkIsolated()
        guard !isIdle else { return }
        schedule(after: nil, every: nil)
    }

    /// Ends the timer for good. Idempotent.
    package func cancel() {
        executor.checkIsolated()
        guard !cancelled else { return }
        cancelled = true
        end()
    }

    private func schedule(
        after delay: Duration?, every interval: Duration?, leeway: Duration = .zero
    ) {
        executor.checkIsolated()
        isIdle = delay == nil
        switch source {
        case .dispatch(let timer):
            timer.schedule(
                deadline: delay.map { .now() + .nanoseconds($0.clampedNanoseconds) }
                    ?? .distantFuture,
                repeating: interval.map { .nanoseconds($0.clampedNanoseconds) } ?? .never,
                leeway: .nanoseconds(leeway.clampedNanoseconds))
        case .loop(let timer):
            guard !cancelled else { return }
            timer.schedule(after: delay, every: interval)
        }
    }

    private func end() {
        switch source {
        case .dispatch(let timer): timer.cancel()
        case .loop(let timer): timer.schedule(after: nil, every: nil)
        }
    }

    deinit { if !cancelled { end() } }
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
