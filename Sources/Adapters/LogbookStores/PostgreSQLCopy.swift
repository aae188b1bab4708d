import Bytes

/// Values in PostgreSQL's binary format: fixed-length values with the highest byte first, others unchanged.
///
/// Source: PostgreSQL 15, COPY, "Binary Format"; `pg_proc` names the functions, `int8send` and so on.
enum PostgreSQLCopy {
    /// The signature, no flags, and no extension.
    static let head: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// Replaces the column count at the end.
    static let end: [UInt8] = [0xFF, 0xFF]

    /// Appends a row: the column count, then each value with its length, -1 for NULL.
    static func append(_ row: [SQLValue], to bytes: inout [UInt8]) {
        append(UInt16(row.count), to: &bytes)
        for value in row {
            guard let field = value.field else {
                append(UInt32.max, to: &bytes)
                continue
            }
            append(UInt32(field.count), to: &bytes)
            bytes += field
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}

extension SQLValue {
    /// Binary format of `bigint`, `double precision`, `text` and `bytea`; nil for NULL. PostgreSQL texts
    /// cannot contain NUL characters: they are removed here, and remain in the record.
    var field: [UInt8]? {
        switch self {
        case .null: nil
        case .whole(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .decimal(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
        case .text(let text): text.utf8.filter { $0 != 0 }
        case .bytes(let bytes): bytes
        }
    }
}
