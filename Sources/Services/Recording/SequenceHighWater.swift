import Bytes
import Contract
import Glibc
import RingLog
import Synchronization

/// How far the numbers of every stream have been given out, where it outlives a killed process.
///
/// A record may be published before it is durable. After a power cut the numbers of such records
/// are lost, and the recorder passes over as many as there can have been. After the mere death of
/// the process they are known: this file in memory names them, so that no number is passed over
/// without need. It is gone with the boot, as it must be; without it the numbers are passed over.
///
/// The file begins with 8 bytes that say which of the two tables behind them counts: a new one is whole
/// before it does. A process changes a number with a single store, so that whenever it is killed each
/// number is there as it was before or after.
///
/// Confined to the log queue.
final class SequenceHighWater {
    /// Says that the first table counts; one more, that the second does. No version that wrote anything
    /// else here began so.
    private static let first: UInt64 = 0x5752_4849_4748_5700
    private static let fileSize = tablesOffset + 2 * HighWaterTable.size
    private static let tablesOffset = 4096

    private let file: BootFile
    /// The file's bytes, as every process sees them.
    private let memory: UnsafeMutableRawPointer
    private let tables: [HighWaterTable]
    /// What the table that counts is about; nil where none does.
    private var contents: HighWaterTable.Contents?

    /// The high water of the ring file at `ring`; nil where there is no place for it.
    init?(ofRing ring: String) {
        // Memory that is missing is missed now, and not by a signal in the middle of a record.
        guard let file = BootFile("numbers", ofRing: ring),
            posix_fallocate(file.descriptor, 0, Self.fileSize) == 0,
            let memory = mmap(
                nil, Self.fileSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        (self.file, self.memory) = (file, memory)
        tables = (0...1).map {
            HighWaterTable(at: memory + Self.tablesOffset + $0 * HighWaterTable.size)
        }
        contents = table?.contents
    }

    deinit { munmap(memory, Self.fileSize) }

    /// The table that counts.
    private var table: HighWaterTable? {
        let index = memory.load(as: UInt64.self) &- Self.first
        return index < 2 ? tables[Int(index)] : nil
    }

    /// What an earlier process left on this boot; nil if there was none.
    func read(bootID: String) -> RecorderState? {
        guard let table, let contents, contents.bootID == bootID else { return nil }
        return table.state(of: contents)
    }

    /// Keeps the numbers of `state`, before any of its records can be read.
    func write(_ state: RecorderState) {
        if let table, let contents, contents.isAbout(state) {
            table.keep(state, in: contents.places)
        } else {
            begin(state)
        }
    }

    /// Goes on in the other table.
    private func begin(_ state: RecorderState) {
        let other = memory.load(as: UInt64.self) == Self.first ? 1 : 0
        contents = tables[other].begin(state)
        atomicMemoryFence(ordering: .releasing)
        // A high water that is behind would be worse than none.
        let counting = contents == nil ? 0 : Self.first + UInt64(other)
        memory.storeBytes(of: counting, as: UInt64.self)
    }

    /// All is durable; the next process needs no high water.
    func remove() { file.remove() }
}

/// The numbers of all streams: a head, which tells the places, and behind it a row for each place with
/// two numbers for each kind, in the order of the kinds, 8 bytes each as this machine writes them. They
/// are the number that comes next, 0 where the stream may have no records, and the last that the broker
/// has acknowledged.
private struct HighWaterTable {
    /// The head.
    struct Contents: ByteCodable {
        static var blank: Contents { Contents() }
        var epoch = ""
        var bootID = ""
        /// In the order of the rows.
        var places: [StationID?] = []

        mutating func code(with coder: inout ByteCoder) {
            epoch.code(with: &coder)
            bootID.code(with: &coder)
            coder.list(&places, blank: nil) { $0.station(&$1) }
        }

        func isAbout(_ state: RecorderState) -> Bool {
            epoch == state.epoch && bootID == state.bootID && places.count == state.streams.count
                && places.allSatisfy { state.streams[$0] != nil }
        }
    }

    static let size = headSize + mostPlaces * rowSize
    private static let headSize = 8192
    /// More than a gateway can have, together with those that are remembered.
    private static let mostPlaces = 96
    private static let rowSize = StreamKind.allCases.count * 16

    private let bytes: UnsafeMutableRawBufferPointer

    init(at start: UnsafeMutableRawPointer) {
        bytes = UnsafeMutableRawBufferPointer(start: start, count: Self.size)
    }

    /// Nil for what is none.
    var contents: Contents? { Contents(decoding: Array(bytes[..<Self.headSize])) }

    func state(of contents: Contents) -> RecorderState {
        var state = RecorderState()
        (state.epoch, state.bootID) = (contents.epoch, contents.bootID)
        for (row, place) in contents.places.enumerated() {
            var streams = RecorderState.Streams()
            for kind in StreamKind.allCases {
                let numbers = numbers(of: kind, in: row)
                guard numbers[0] > 0 else { continue }
                streams.announced.insert(kind)
                (streams.next[kind], streams.acknowledged[kind]) = (numbers[0], numbers[1])
            }
            state.streams[place] = streams
        }
        return state
    }

    func keep(_ state: RecorderState, in places: [StationID?]) {
        for (row, place) in places.enumerated() {
            guard let streams = state.streams[place] else { continue }
            for kind in streams.announced {
                let numbers = numbers(of: kind, in: row)
                numbers[0] = streams.upcoming(kind)
                numbers[1] = streams.acknowledged[kind]
            }
        }
    }

    /// Writes the whole table anew; returns its head, or nil where there is no room for it.
    func begin(_ state: RecorderState) -> Contents? {
        let contents = Contents(
            epoch: state.epoch, bootID: state.bootID, places: Array(state.streams.keys))
        let head = contents.encode()
        guard head.count <= Self.headSize, contents.places.count <= Self.mostPlaces else {
            return nil
        }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.copyBytes(from: head)
        keep(state, in: contents.places)
        return contents
    }

    private func numbers(of kind: StreamKind, in row: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let start = Self.headSize + row * Self.rowSize + (Int(kind.rawValue) - 1) * 16
        return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + 16])
            .assumingMemoryBound(to: UInt64.self)
    }
}
