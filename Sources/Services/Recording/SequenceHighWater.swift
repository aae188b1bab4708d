import Glibc
import RingLog

/// How far the numbers of every stream have been given out, where it outlives a killed process.
///
/// A record may be published before it is durable. After a power cut the numbers of such records
/// are lost, and the recorder passes over as many as there can have been. After the mere death of
/// the process they are known: this file in memory names them, so that no number is passed over
/// without need. It is gone with the boot, as it must be; without it the numbers are passed over.
///
/// Confined to the log queue.
final class SequenceHighWater {
    /// What one write puts there whole, whenever the process is killed.
    private static let limit = 4096

    private let file: BootFile
    private var descriptor: Int32 { file.descriptor }

    /// The high water of the ring file at `ring`; nil where there is no place for them.
    init?(ofRing ring: String) {
        guard let file = BootFile("numbers", ofRing: ring) else { return nil }
        self.file = file
    }

    /// What an earlier process left on this boot; nil if there was none.
    func read(bootID: String) -> RecorderState? {
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0, let state = RecorderState(decoding: Array(bytes.prefix(count))),
            state.bootID == bootID
        else { return nil }
        return state
    }

    /// Keeps the numbers of `state`, before any of its records can be read.
    func write(_ state: RecorderState) {
        // Behind it may stand bytes of an earlier, longer one: zeros say that no sessions, no later
        // kinds, no counts, no crews and no promises follow.
        let bytes = state.numbers.encode() + [0, 0, 0, 0, 0]
        let isWhole =
            bytes.count <= Self.limit
            && bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
                == bytes.count
        // A high water that is behind would be worse than none.
        if !isWhole { ftruncate(descriptor, 0) }
    }

    /// All is durable; the next process needs no high water.
    func remove() { file.remove() }
}

extension RecorderState {
    /// Without what the high water does not need.
    fileprivate var numbers: RecorderState {
        var numbers = withoutPromises
        (numbers.undeclared, numbers.ended, numbers.crews) = ([:], [], [])
        for station in streams.keys {
            numbers.streams[station]?.checkpoint = []
            numbers.streams[station]?.open = nil
            numbers.streams[station]?.assignment = AthleteAssignment()
            numbers.streams[station]?.firing = KeptAlerts()
        }
        return numbers
    }
}
