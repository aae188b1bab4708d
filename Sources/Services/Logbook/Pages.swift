import Bytes
import WebPages
import WebServer

/// The files of the web pages, each with an entity tag for browser caches.
struct Pages: Sendable {
    private let files: [String: WebFile]

    /// - Parameter timeZone: The club's time zone as an IANA name, for the times on the pages.
    init(timeZone: String) {
        files = Dictionary(
            uniqueKeysWithValues: PageFiles.served(timeZone: timeZone).map {
                ($0.name, WebFile($0))
            })
    }

    subscript(name: String) -> WebFile? { files[name] }
}

extension WebFile {
    /// Creates a file with an entity tag from the digest of its bytes.
    init(_ file: PageFiles.Served) {
        self.init(
            contentType: file.contentType, bytes: file.bytes, compressed: file.compressed,
            entityTag: "\"\(SHA256Digest.hexadecimal(of: [file.bytes]).prefix(16))\"")
    }
}
