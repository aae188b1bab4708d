/// A place for records that a power cut does not take: appended, made durable together, read back
/// in order.
protocol RecordStore: AnyObject {
    /// Opens or creates the store at `path`. `capacity` is used by stores with a fixed size.
    init(path: String, capacity: Int) throws

    func append(_ record: [UInt8]) throws

    /// Returns once everything appended is durable, or as durable as the store promises, and with
    /// it how far a reader has come: here, up to the end.
    func commit() throws

    /// Reads all records and returns their bytes.
    func readAll() throws -> Int
}

struct StoreFailure: Error, CustomStringConvertible {
    let description: String
}
