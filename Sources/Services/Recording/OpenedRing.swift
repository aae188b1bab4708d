import Contract
import HostRuntime
import RingLog

/// A ring that was opened: where to write, and what to go on from.
struct OpenedRing {
    private(set) var storage: RingStorage
    private(set) var state: RecorderState
    /// What a death of the last process cost; nil after a stop in order.
    let loss: GatewayEvent?
    private(set) var marks: SequenceHighWater?

    /// - Parameters:
    ///   - marks: nil where a death of the process is to be taken for a power cut.
    ///   - bootID: of this boot.
    init(_ storage: RingStorage, marks: SequenceHighWater?, bootID: String, log: SystemLog) {
        self.storage = storage
        self.marks = marks
        loss = storage.loss
        storage.describe(log)
        state = storage.recoverState(log: log).recoveringNumbers(
            marks: marks?.read(bootID: bootID), wasClosed: loss == nil)
    }

    /// Moves the ring to another size, if it has not got it; it stays as it is where it cannot be.
    ///
    /// Throws only for a ring of a later version, which nobody but a stranger can put there.
    mutating func resize(to wanted: LogGeometry, log: SystemLog) throws(RingLogError) {
        guard let resized = try storage.resized(to: wanted, state: state, log: log) else { return }
        // Whatever the marks of the last process said is in the state by now.
        if marks != nil {
            marks?.remove()
            marks = SequenceHighWater(ofRing: resized.device.path)
        }
        storage = resized
        state = resized.recoverState(log: log)
    }
}
