/// A payload, reply or parameter that is created by setting its fields.
package protocol FieldwiseValue {
    /// The value that a monitor without data sends.
    static var blank: Self { get }
}

extension FieldwiseValue {
    /// Returns a blank value with the fields that `fill` sets.
    package static func with(_ fill: (inout Self) -> Void) -> Self {
        var value = blank
        fill(&value)
        return value
    }
}

/// A `FieldwiseValue` whose properties have default values.
protocol BlankValue: FieldwiseValue {
    init()
}

extension BlankValue {
    package static var blank: Self { Self() }
}
