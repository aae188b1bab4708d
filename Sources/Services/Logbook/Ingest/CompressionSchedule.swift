import LogbookStores
import Timeline

/// Schedules the compression of records that are stored as published. It has no clock.
struct CompressionSchedule: Sendable {
    /// The interval between two passes. A pass is short if there is nothing to compress.
    static let interval = Duration.seconds(3600)
    /// The time from the start to the first pass, in which gateways announce their records.
    static let delay = Duration.seconds(60)

    private var pass: CompressionPass?
    private var due: BootInstant?

    /// Returns the pass to continue; nil if nothing is due.
    mutating func next(at now: BootInstant) -> CompressionPass? {
        if let pass { return pass }
        guard let due else {
            due = now.advanced(by: Self.delay)
            return nil
        }
        guard due <= now else { return nil }
        self.due = now.advanced(by: Self.interval)
        pass = CompressionPass()
        return pass
    }

    /// Ends the current pass after a failure; the next one is due as usual.
    mutating func cancel() { pass = nil }

    /// Updates the current pass after a step.
    mutating func update(_ pass: CompressionPass) { self.pass = pass.isDone ? nil : pass }
}
