/// SHA-256 over stored records in their order, in lower-case hexadecimal; handed in, because the
/// core has no cryptography of its own.
package typealias RecordDigest = @Sendable ([[UInt8]]) -> String
