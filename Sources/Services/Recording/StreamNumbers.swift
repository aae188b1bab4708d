import Contract

/// One number for each kind of stream.
struct StreamNumbers: Equatable {
    private var values: [UInt64]

    init(repeating value: UInt64) {
        values = Array(repeating: value, count: StreamKind.allCases.count)
    }

    subscript(kind: StreamKind) -> UInt64 {
        get { values[Int(kind.rawValue) - 1] }
        set { values[Int(kind.rawValue) - 1] = newValue }
    }

    /// Of each kind the higher one of both.
    func highest(_ other: StreamNumbers) -> StreamNumbers {
        var highest = self
        for index in values.indices where other.values[index] > values[index] {
            highest.values[index] = other.values[index]
        }
        return highest
    }
}
