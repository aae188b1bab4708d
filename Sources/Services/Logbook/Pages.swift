import HostRuntime
import WebPages
import WebServer

/// The files of the pages, each with the tag by which a browser asks whether it is still the same.
struct Pages: Sendable {
    private let files: [String: WebFile]

    /// - Parameter timeZone: the club's, an IANA name, in which pages show times.
    init(timeZone: String) {
        files = Dictionary(
            uniqueKeysWithValues: PageFiles.served(timeZone: timeZone).map {
                ($0.name, WebFile($0.contentType, $0.bytes))
            })
    }

    subscript(name: String) -> WebFile? { files[name] }
}

extension WebFile {
    /// A part of the program, with a tag of its bytes.
    init(_ contentType: String, _ bytes: [UInt8]) {
        self.init(
            contentType: contentType, bytes: bytes,
            entityTag: "\"\(SHA256Digest.hexadecimal(of: [bytes]).prefix(16))\"")
    }
}
