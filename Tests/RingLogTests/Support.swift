import TestSupport
import Testing

@testable import RingLog

let epoch = Array("0123456789abcdef".utf8)
let otherEpoch = Array("fedcba9876543210".utf8)
/// As small as a ring can be: everything happens at its edges.
let smallGeometry = LogGeometry(segmentSize: 4 * 4096, segmentCount: 4)

func openSmall(
    _ device: any BlockDevice, epoch: [UInt8] = epoch
) throws -> (LogWriter, RecoveryReport) {
    try LogWriter.open(device: device, geometry: smallGeometry, newEpoch: epoch)
}

/// Everything a reader finds, up to the end.
func readAll(
    _ device: any BlockDevice, from: LogPosition? = nil
) throws -> (records: [LogRecord], gaps: [LogGap]) {
    var reader = try LogReader(device: device, from: from)
    return try readOn(&reader)
}

func readOn(_ reader: inout LogReader) throws -> (records: [LogRecord], gaps: [LogGap]) {
    var records: [LogRecord] = []
    var gaps: [LogGap] = []
    while let item = try reader.next() {
        switch item {
        case .record(let record): records.append(record)
        case .gap(let gap): gaps.append(gap)
        }
    }
    return (records, gaps)
}

/// The bytes of a record, which identify it.
func payload(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7 &+ 1) }
}
