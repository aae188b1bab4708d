// Replaces the file of this name in ArgumentParser, for the packages and for packaging/test. Only that
// file needs Foundation, which adds five megabytes to each program. `install` copies it there, together
// with JSONEncoding.swift of Bytes.

extension Error {
    func describe() -> String { String(describing: self) }
}

/// For `--experimental-dump-help`, from which the manual pages are generated.
enum JSONEncoder {
    static func encode<Value: Encodable>(_ value: Value) -> String {
        do {
            return try JSONEncoding.text(value, pretty: true)
        } catch {
            preconditionFailure("a description could not be encoded as JSON: \(error)")
        }
    }
}
