// Stands in the package's programs for the file of this name in ArgumentParser, which is the one place
// where that library needs Foundation: five megabytes in each program. debian/rules puts it there, with
// JSONEncoding.swift of Bytes beside it.

extension Error {
    func describe() -> String { String(describing: self) }
}

/// For `--experimental-dump-help`, from which the manual pages are made.
enum JSONEncoder {
    static func encode<Value: Encodable>(_ value: Value) -> String {
        do {
            return try JSONEncoding.text(value, pretty: true)
        } catch {
            preconditionFailure("a description is JSON: \(error)")
        }
    }
}
