#!/bin/sh
# Prints the path of a Python that has the modules of make_networks.py and make_operators.py: the
# system's where it has them, else a script in the folder that adds them. They come from Debian's
# packages, once, and are unpacked there; nothing is installed.
#
#   bench/peers/get_python.sh FOLDER
set -eu
[ $# -eq 1 ] || {
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
packages='python3-numpy python3-flatbuffers python3-onnx'
python=/usr/bin/python3

if $python -c 'import flatbuffers, numpy, onnx' 2>/dev/null; then
    echo $python
    exit
fi
mkdir -p "$1"
cd "$1"
if [ ! -x python ]; then
    missing=$(apt-get --simulate --no-install-recommends install $packages |
        sed -n 's/^Inst \([^ ]*\).*/\1/p')
    [ -n "$missing" ] || {
        echo "get_python.sh: apt-get does not find $packages; apt-get update may help" >&2
        exit 1
    }
    rm -rf packages unpacked
    mkdir packages
    (cd packages && apt-get -o APT::Sandbox::User=root -qq download $missing) >&2
    for package in packages/*.deb; do
        dpkg-deb --extract "$package" unpacked
    done
    libraries=$(dirname "$(find "$PWD/unpacked" -name 'libonnx.so*' | head -1)")
    # In one step, so that what is there is whole.
    cat >python.new <<END
#!/bin/sh
PYTHONPATH="$PWD/unpacked/usr/lib/python3/dist-packages" LD_LIBRARY_PATH="$libraries" \\
    exec $python -B "\$@"
END
    chmod +x python.new
    mv python.new python
    rm -r packages
fi
echo "$PWD/python"
