/// Computes SHA-256 over stored records in their order, in lower-case hexadecimal. The caller injects
/// it, because Core modules contain no cryptography.
package typealias RecordDigest = @Sendable ([[UInt8]]) -> String
