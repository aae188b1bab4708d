import BlockDevice
import Glibc
import RingLog

/// The ring beside SQLite, LMDB and a naive append, with the same records, in one run.
///
///     swift run -c release StorageBenchmark FOLDER                    the table
///     swift run -c release StorageBenchmark FOLDER --paced N          the ring, N seconds of rowing
///     swift run -c release StorageBenchmark FOLDER --paced N naive    the naive append instead
///
/// FOLDER should be a separate file system: Tests/Benchmarks/on-loop-device creates one.
@main
struct StorageBenchmark {
    private static let commits = 1000
    private static let capacity = 64 << 20

    private let folder: String
    private let counter: BlockDeviceCounter?

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, !folder.hasPrefix("-") else {
            print("usage: StorageBenchmark FOLDER [--paced SECONDS [naive]]")
            exit(2)
        }
        let benchmark = StorageBenchmark(folder: folder, counter: BlockDeviceCounter(below: folder))
        let options = Array(arguments.dropFirst())
        if options.first == "--paced", options.count > 1, let seconds = Int(options[1]) {
            if options.last == "naive" {
                try benchmark.measurePaced(seconds: seconds, NaiveStore.self)
            } else {
                try benchmark.measurePaced(seconds: seconds, RingStore.self) { try $0.prepare() }
            }
        } else {
            try benchmark.compare()
            try benchmark.measureRecovery()
        }
    }

    // MARK: - The table

    private struct Result {
        var name: String
        var appendsPerSecond: Double
        var drainsPerSecond: Double
        /// At the block device, per byte of payload; nil without a device to look at.
        var amplification: Double?
        var openMilliseconds: Double
    }

    private func compare() throws {
        let payload = Workload(number: 0).payloadBytes
        print("\(Self.commits) commits of \(Workload.recordsPerCommit) records, \(payload) bytes")
        let results = [
            try measure("ring, first turn", RingStore.self, prepare: { try $0.prepare() }),
            try measure("ring, later turns", RingStore.self, prepare: Self.writeOneRound),
            try measure("SQLite WAL, FULL", SQLiteStore.self),
            try measure("SQLite WAL, NORMAL", NormalSQLiteStore.self),
            try measure("LMDB", LMDBStore.self),
            try measure("naive append", NaiveStore.self),
        ]
        Self.tabulate(results)
    }

    private func measure<Store: RecordStore>(
        _ name: String, _ type: Store.Type, prepare: (Store) throws -> Void = { _ in }
    ) throws -> Result {
        let path = "\(folder)/benchmark-store"
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
        let workloads = (0..<Self.commits).map(Workload.init)
        let payload = workloads.reduce(0) { $0 + $1.payloadBytes }
        var store: Store? = try Store(path: path, capacity: Self.capacity)
        if let store { try prepare(store) }
        let before = counter?.written()
        let appending = try Self.seconds {
            for workload in workloads {
                for record in workload.records { try store?.append(record) }
                try store?.commit()
            }
        }
        let written = counter.map { $0.written() - (before ?? 0) }
        var read = 0
        let draining = try Self.seconds { read = try store?.readAll() ?? 0 }
        guard read >= payload else { throw StoreFailure(description: "\(name) lost records") }
        store = nil
        let opening = try Self.seconds { store = try Store(path: path, capacity: Self.capacity) }
        let records = Double(Self.commits * Workload.recordsPerCommit)
        return Result(
            name: name, appendsPerSecond: records / appending,
            drainsPerSecond: records * Double(read) / Double(payload) / draining,
            amplification: written.map { Double($0) / Double(payload) },
            openMilliseconds: opening * 1000)
    }

    /// Takes a ring once round, so that all its space has been written.
    private static func writeOneRound(_ store: RingStore) throws {
        let record = [UInt8](repeating: 1, count: 16_000)
        for number in 0...capacity / record.count {
            try store.append(record)
            if number % 4 == 3 { try store.commit() }
        }
        try store.commit()
    }

    private static func tabulate(_ results: [Result]) {
        let ours = results[0]
        row(["", "append/s", "drain/s", "bytes/byte", "open ms"])
        for result in results {
            let amplification = result.amplification.map { rounded($0, 2) } ?? "-"
            row([
                result.name,
                rounded(result.appendsPerSecond, 0)
                    + ratio(result.appendsPerSecond, ours.appendsPerSecond),
                rounded(result.drainsPerSecond, 0)
                    + ratio(result.drainsPerSecond, ours.drainsPerSecond),
                amplification
                    + (result.amplification.map { ratio($0, ours.amplification ?? $0) } ?? ""),
                rounded(result.openMilliseconds, 1)
                    + ratio(result.openMilliseconds, ours.openMilliseconds),
            ])
        }
        print("in brackets: how many times that of the ring in its first turn")
    }

    // MARK: - Recovery

    private func measureRecovery() throws {
        print("\nopening after a kill, by size of the ring")
        for mebibytes in [4, 16, 64, 256] {
            let path = "\(folder)/benchmark-ring"
            unlink(path)
            defer { unlink(path) }
            let size = mebibytes << 20
            var store: RingStore? = try RingStore(path: path, capacity: size)
            let record = [UInt8](repeating: 1, count: 16_000)
            for number in 0...size / record.count {
                try store?.append(record)
                if number % 4 == 3 { try store?.commit() }
            }
            try store?.commit()
            store = nil
            let time = try Self.seconds { store = try RingStore(path: path, capacity: size) }
            Self.row(["\(mebibytes) MiB", Self.rounded(time * 1000, 1) + " ms"])
        }
    }

    // MARK: - As in life

    /// One commit a second, with the file system's own timers running: eight ergs at 24 strokes a
    /// minute.
    private func measurePaced<Store: RecordStore>(
        seconds: Int, _ type: Store.Type, prepare: (Store) throws -> Void = { _ in }
    ) throws {
        let path = "\(folder)/benchmark-ring"
        unlink(path)
        defer { unlink(path) }
        let store = try Store(path: path, capacity: Self.capacity)
        try prepare(store)
        let before = counter?.written() ?? 0
        var payload = 0
        for second in 0..<seconds {
            let workload = Workload(number: second)
            for record in workload.records { try store.append(record) }
            try store.commit()
            payload += workload.payloadBytes
            sleep(1)
        }
        let written = (counter?.written() ?? before) - before
        print(
            "\(seconds) s: \(payload) bytes of payload, \(written) at the block device, "
                + "\(Self.rounded(Double(written) / Double(payload), 2)) per byte, "
                + "\(Self.rounded(Double(written) * 3600 / Double(seconds) / 1e6, 1)) MB an hour")
    }

    // MARK: - Figures

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let time = try clock.measure(body)
        return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }

    private static func ratio(_ value: Double, _ reference: Double) -> String {
        " (\(rounded(value / reference, 2)))"
    }

    private static func rounded(_ value: Double, _ places: Int) -> String {
        let scale = pow(10, Double(places))
        let rounded = (value * scale).rounded() / scale
        return places == 0 ? String(Int(rounded)) : String(rounded)
    }

    private static func row(_ cells: [String]) {
        print(
            cells.map { $0 + String(repeating: " ", count: max(1, 20 - $0.count)) }.joined())
    }
}
