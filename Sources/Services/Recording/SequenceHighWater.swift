import Bytes
import Contract
import Glibc
import RingLog
import Synchronization

/// The last assigned numbers of every stream, stored where they outlive a killed process.
///
/// A record may be published before it is durable. After a power cut the numbers of such records
/// are lost, and the recorder skips as many as there can have been. If only the process died, this
/// file in memory has the numbers, so that none is skipped without need. It disappears at the next
/// boot, as it must.
///
/// The first 8 bytes of the file say which of the two tables behind them is valid: a new table is
/// complete before it becomes valid. A process changes a number with a single store, so that a kill
/// leaves each number old or new.
///
/// Confined to the log queue.
final class SequenceHighWater {
    /// Marks the first table as valid; one more, the second. No version that wrote another layout
    /// used this value.
    private static let first: UInt64 = 0x5752_4849_4748_5700
    private static let fileSize = tablesOffset + 2 * HighWaterTable.size
    private static let tablesOffset = 4096

    private let file: BootFile
    /// The file's bytes, shared between processes.
    private let memory: UnsafeMutableRawPointer
    private let tables: [HighWaterTable]
    /// The description of the valid table; nil if none is valid.
    private var contents: HighWaterTable.Contents?

    /// Opens the high-water marks of the ring file at `ring`; nil if there is no place for them.
    init?(ofRing ring: String) {
        // Missing memory must fail here, not by a signal in the middle of a record.
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

    /// The valid table.
    private var table: HighWaterTable? {
        let index = memory.load(as: UInt64.self) &- Self.first
        return index < 2 ? tables[Int(index)] : nil
    }

    /// Returns the state of an earlier process of this boot; nil if there was none.
    func read(bootID: String) -> RecorderState? {
        guard let table, let contents, contents.bootID == bootID else { return nil }
        return table.state(of: contents)
    }

    /// Stores the numbers of `state`, before any of its records can be read.
    func write(_ state: RecorderState) {
        if let table, let contents, contents.isAbout(state) {
            table.store(state, in: contents.stations)
        } else {
            begin(state)
        }
    }

    /// Continues in the other table.
    private func begin(_ state: RecorderState) {
        let other = memory.load(as: UInt64.self) == Self.first ? 1 : 0
        contents = tables[other].begin(state)
        atomicMemoryFence(ordering: .releasing)
        // Outdated high-water marks would be worse than none.
        let counting = contents == nil ? 0 : Self.first + UInt64(other)
        memory.storeBytes(of: counting, as: UInt64.self)
    }

    /// Removes the file: all is durable, and the next process does not need it.
    func remove() { file.remove() }
}

/// The numbers of all streams: a head that lists the stations, then a row per station with two
/// numbers per kind, in the order of the kinds, 8 bytes each in this machine's byte order: the next
/// number, 0 if the stream may have no records; and the last acknowledged number.
private struct HighWaterTable {
    /// The head.
    struct Contents: ByteCodable {
        static var blank: Contents { Contents() }
        var epoch = ""
        var bootID = ""
        /// In the order of the rows.
        var stations: [StationID?] = []

        mutating func code(with coder: inout ByteCoder) {
            epoch.code(with: &coder)
            bootID.code(with: &coder)
            coder.list(&stations, blank: nil) { $0.station(&$1) }
        }

        func isAbout(_ state: RecorderState) -> Bool {
            epoch == state.epoch && bootID == state.bootID && stations.count == state.stationStates.count
                && stations.allSatisfy { state.stationStates[$0] != nil }
        }
    }

    static let size = headSize + maximumStations * rowSize
    private static let headSize = 8192
    /// More than a gateway can have, including former stations.
    private static let maximumStations = 96
    private static let rowSize = StreamKind.allCases.count * 16

    private let bytes: UnsafeMutableRawBufferPointer

    init(at start: UnsafeMutableRawPointer) {
        bytes = UnsafeMutableRawBufferPointer(start: start, count: Self.size)
    }

    /// Nil for bytes that are not a table.
    var contents: Contents? { Contents(decoding: Array(bytes[..<Self.headSize])) }

    func state(of contents: Contents) -> RecorderState {
        var state = RecorderState()
        (state.epoch, state.bootID) = (contents.epoch, contents.bootID)
        for (row, station) in contents.stations.enumerated() {
            var stationState = RecorderState.StationRecordState()
            for kind in StreamKind.allCases {
                let numbers = numbers(of: kind, in: row)
                guard numbers[0] > 0 else { continue }
                stationState.announced.insert(kind)
                (stationState.next[kind], stationState.acknowledged[kind]) = (numbers[0], numbers[1])
            }
            state.stationStates[station] = stationState
        }
        return state
    }

    func store(_ state: RecorderState, in stations: [StationID?]) {
        for (row, station) in stations.enumerated() {
            guard let stationState = state.stationStates[station] else { continue }
            for kind in stationState.announced {
                let numbers = numbers(of: kind, in: row)
                numbers[0] = stationState.upcoming(kind)
                numbers[1] = stationState.acknowledged[kind]
            }
        }
    }

    /// Writes a complete new table; returns its head, or nil if it does not fit.
    func begin(_ state: RecorderState) -> Contents? {
        let contents = Contents(
            epoch: state.epoch, bootID: state.bootID, stations: Array(state.stationStates.keys))
        let head = contents.encode()
        guard head.count <= Self.headSize, contents.stations.count <= Self.maximumStations else {
            return nil
        }
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        bytes.copyBytes(from: head)
        store(state, in: contents.stations)
        return contents
    }

    private func numbers(of kind: StreamKind, in row: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let start = Self.headSize + row * Self.rowSize + (Int(kind.rawValue) - 1) * 16
        return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + 16])
            .assumingMemoryBound(to: UInt64.self)
    }
}
