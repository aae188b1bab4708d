import Contract

/// One number per kind of stream.
struct StreamNumbers: Equatable {
    private var values: [UInt64]

    init(repeating value: UInt64) {
        values = Array(repeating: value, count: StreamKind.allCases.count)
    }

    subscript(kind: StreamKind) -> UInt64 {
        get { values[Int(kind.rawValue) - 1] }
        set { values[Int(kind.rawValue) - 1] = newValue }
    }

    /// The higher number of each kind.
    func highest(_ other: StreamNumbers) -> StreamNumbers {
        var highest = self
        for index in values.indices where other.values[index] > values[index] {
            highest.values[index] = other.values[index]
        }
        return highest
    }
}
