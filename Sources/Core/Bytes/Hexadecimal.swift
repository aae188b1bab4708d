/// Returns two lower-case digits per byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        if byte < 0x10 { text += "0" }
        text += String(byte, radix: 16)
    }
    return text
}
